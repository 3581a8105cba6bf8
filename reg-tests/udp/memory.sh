#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No datagram costs memory: while there is none to be had, a thousand of them go there and back on
# sessions that stand, one at a time and many at once, and nobody asks for any.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "a sanitizer's memory cannot be refused"; exit 77; }
set -- $(ports 2)
config <<END
udp-lb u
	dgram-bind 127.0.0.1:$1
	timeout client 5m
	timeout server 5m
	server s 127.0.0.1:$2
END
shim_while=$dir/now
SHIM="memory=ENOMEM mmap=ENOMEM"
start_penstock
timeout 200 python3 "${0%.sh}.py" "$1" "$2" "$shim_while" || fail "datagrams without memory"
check "nobody asks for memory" eval '! test -s "$dir/shim.log"'
# Else the claim would hold whatever the library does.
touch "$shim_while"
timeout 5 "$tool" -s "$stats" ask "show info" >"$dir/said" 2>&1
rm "$shim_while"
acted "memory=ENOMEM"
finish
