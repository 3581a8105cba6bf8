#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: a datagram that goes to another server, since the first one refuses, stays its client's,
# also when sessions end for that whose datagrams came with it.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 3)
config <<END
udp-lb u
	dgram-bind 127.0.0.1:$1
	maxconn 8
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$2
	server b 127.0.0.1:$3
END
start_penstock
driver "$srcdir/reg-tests/udp/evicted.py" --ports "$*" || failures=1
finish
