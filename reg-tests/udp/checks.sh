#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option udp-check: servers are up or down by what they answer to datagrams, or do not.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 8)
section() { # NAME OPTION PORT [TIMEOUT [WORDS]]
	printf 'udp-lb %s\n\tdgram-bind 127.0.0.1:%s\n\toption udp-check %s\n\ttimeout check %s\n' \
		"$1" "$3" "$2" "${4:-300ms}"
	printf '\tserver s 127.0.0.1:%s check inter 50ms rise 1 fall 1 %s\n' "$back_port" "${5:-}"
}
back_port=$1
{
	printf 'global\n\tstats socket %s level admin\n' "$stats"
	section dns "dns www.example.com" "$2"
	section ntp ntp "$3"
	section talk "send ping expect pong" "$4"
	section silent "send-binary 00ff" "$5" 100ms
	section headed "send behind expect well" "$7" 300ms send-proxy-v2
	section signed "dns www.example.com" "$8" 300ms "send-proxy-v2 proxy-v2-options crc32c"
	section log syslog "$6" 100ms
} >"$dir/cfg"
start_penstock
driver "$srcdir/reg-tests/udp/checks.py" --server "$back_port" || failures=1
finish
