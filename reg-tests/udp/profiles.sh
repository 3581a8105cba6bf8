#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Lines of sessions by log-profiles: the step is "close", else "any"; other steps never come.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 5)
section() { # NAME PORT PROFILE [LINE]
	printf 'udp-lb %s\n\tdgram-bind 127.0.0.1:%s\n\ttimeout client 1s\n\ttimeout server 1s\n' "$1" "$2"
	printf '\tlog stdout profile %s format raw local0\n\tproxy-responses 0\n\t%s\n\tserver s 127.0.0.1:1\n' "$3" "${4:-}"
}
{
	cat <<END
log-profile steps
	on connect format "steps-connect %ci"
	on any format "steps-any %ci"
	on close format "steps-close %OG %b/%s %U %ts"
log-profile any
	on request format "any-request %ST"
	on any format "any-any %OG %b"
log-profile other
	on accept drop
	on connect format "other-connect %TR"
log-profile none
	on close drop
END
	section a $1 steps
	section b $2 any 'log-format "own %b"'
	section c $3 other 'log-format "own %b"'
	section d $4 none 'log-format "own %b"'
	section e $5 other
} | config
start_penstock
python3 - "$@" <<'END'
import socket, sys
for port in sys.argv[1:]:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"xyz", ("127.0.0.1", int(port)))
END
line() { check "$1" until_true 60 grep -qxE "$2" "$log"; }
line "'on close' says what a line has" 'steps-close [a-z_]* a/s 3 --'
line "'on any' where it has none" 'any-any [a-z_]* b'
line "'log-format' where the profile speaks of other steps alone" 'own c'
line "else a line as without a profile" '127\.0\.0\.1:[0-9]+ \[.*\] e e/s [0-9]+ 1/0 3/0 -- .*'
ended() { ask "show stat" | awk -F, '$2 == "FRONTEND" && $8 == 1 && $5 == 0 { n++ } END { exit n != 5 }'; }
check "all sessions are over" until_true 60 ended
check "'on close drop' leaves them unsaid, and other steps never come" \
	eval '! grep -qE "own (b|d)|connect|request|steps-any" "$log"'
stop_penstock

refused() { # SENTENCE: of the configuration of the standard input
	cat >"$dir/cfg"
	! "$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1 && grep -qF "$1" "$log" || { cat "$log"; false; }
}
check "'on close' cannot say what is of HTTP" refused "'%ST' says nothing of datagrams" <<END
log-profile p
	on close format "%ST"
$(section a $1 p)
END
check "'log-steps' is no word of datagrams" refused "'log-steps' is not allowed in this section" <<END
log-profile p
$(section a $1 p 'log-steps close')
END
finish
