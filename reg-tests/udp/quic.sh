#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb before QUIC servers (aioquic), by the rules of doc/udp.md: connections are balanced and
# pass, and stay with their server while their client changes its address, since its connection ids
# tell the server's number.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "skipped  needs python3"; exit 77; }
python3 -c "import aioquic, cryptography" 2>/dev/null ||
	{ say "skipped  the only judge, aioquic for Python, is not installed"; exit 77; }
set -- $(ports 4)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
udp-lb quic
	dgram-bind 127.0.0.1:$1
	balance roundrobin
	timeout client 1m
	timeout server 1m
	acl known req.payload(0,1),hex -m reg ^[4-7]
	use-server q1 if known { req.payload(1,1) -m bin 01 }
	use-server q2 if known { req.payload(1,1) -m bin 02 }
	use-server q3 if known { req.payload(1,1) -m bin 03 }
	server q1 127.0.0.1:$2
	server q2 127.0.0.1:$3
	server q3 127.0.0.1:$4
END
start_penstock
driver "$srcdir/reg-tests/udp/quic.py" --ports "$*" || failures=1
finish
