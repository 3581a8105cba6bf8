# SPDX-License-Identifier: BSD-2-Clause
# A frontend whose rules ask maps: read behind lib.sh by scripts that change these maps.
# maps_config GLOBAL-LINES: the rules come from the standard input; $front is where it listens, the
# map $dir/m.map says "old" to /a.
set -- $(ports 2)
front=127.0.0.1:$1 back=127.0.0.1:$2
maps_config() {
	{
		printf "$1\tstats timeout 1m\n\tstats maxconn 50\n"
		cat <<-END
		defaults
			mode http
			timeout connect 5s
			timeout client 1m
			timeout server 1m
		frontend fe
			bind $front
		END
		cat
	} | config
	echo '/a old' >"$dir/m.map"
}
