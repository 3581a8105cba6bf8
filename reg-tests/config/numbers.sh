#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which number a proxy gets that chooses none: that of its place, where the first "stats socket"
# line has one, too, and so has a proxy that has chosen another. Tools know proxies by these
# numbers.
. "${0%/*}/../lib.sh"

stats_socket() { printf 'global\n\tstats socket %s level admin\n' "$stats"; }
sections() {
	cat <<-END
	defaults
		timeout connect 1m
		timeout client 1m
		timeout server 1m
	frontend fe
		bind $front
		default_backend be
	backend be
	END
}
more_sections() { printf 'backend chosen\n\tid 3\nbackend far\n\tid 70\nbackend after\nlisten last\n\tbind %s\n' "$back"; }
# are WHERE NUMBERS: the proxies' of the configuration on stdin.
are() {
	cat >"$dir/cfg"
	start_penstock
	numbers=$("$tool" -s "$stats" ask "show stat -1 3 -1" |
		awk -F, '/^[a-z]/ && !seen[$1]++ { printf "%s%s=%s", sep, $1, $28; sep = " " }')
	check "socket $1: $numbers" test "$numbers" = "$2"
	stop_penstock
}

{ stats_socket; sections; more_sections; } | are "in front" "fe=2 be=4 chosen=3 far=70 after=7 last=8"
{ sections; more_sections; stats_socket; } | are "behind" "fe=1 be=2 chosen=3 far=70 after=5 last=6"
{ sections; stats_socket; more_sections; } | are "between" "fe=1 be=2 chosen=3 far=70 after=6 last=7"
finish
