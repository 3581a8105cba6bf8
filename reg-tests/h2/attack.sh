# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the tests of attacks: a frontend of HTTP/2 at $front, one of HTTP/1 at $plain for
# another client, a server of the driver's at $back. Then comes a program in Python, which defines
# what reg-tests/h2/attack.py calls:
#
#   . "${0%/*}/attack.sh"
#   attack <<'END'
#   END
#
# PENSTOCK_STRICT=1, by hand on a quiet machine: the other client's p99 stays below twice its value.
. "${0%/*}/../lib.sh"

plain=127.0.0.1:$(ports 1)

# client_time, request_time, keep_time: time-outs; global_lines: of "global".
attack_config() {
	config <<END
	${global_lines:-}
defaults
	mode http
	timeout connect 30s
	timeout client ${client_time:-60s}
	timeout http-request ${request_time:-60s}
	timeout http-keep-alive ${keep_time:-60s}
	timeout server 2m
	log stderr local0
frontend fe
	bind $front proto h2
	bind $plain proto h1
	http-request return status 200 content-type text/plain string hello if { path /here }
	default_backend be
backend be
	server s1 $back
END
}

attack() {
	attack_config
	start_penstock
	cat >"$dir/attack.py"
	driver "$srcdir/reg-tests/h2/attack.py" --plain "$plain" --program "$dir/attack.py" \
		$(sanitized && echo --sanitized) || failures=1
	finish
}
