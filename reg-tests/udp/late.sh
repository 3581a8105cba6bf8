#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: the answer that comes when its session has ended reaches no other client, whose session
# might have got the port.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 2)
config <<END
udp-lb u
	dgram-bind 127.0.0.1:$1
	proxy-responses 1
	timeout client 5m
	timeout server 50ms
	server a 127.0.0.1:$2 source 127.0.0.77:20000-20003
END
start_penstock
driver "$srcdir/reg-tests/udp/late.py" --ports "$*" || failures=1
finish
