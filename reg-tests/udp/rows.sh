#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: datagrams that pass the kernel as one, both ways, arrive as they were sent: each by
# itself, in order, counted, limited and given its header one by one.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 5)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
udp-lb plain
	dgram-bind 127.0.0.1:$1
	dgram-bind :::$1 v6only
	accepted-payload-size 4000
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$5
udp-lb small
	dgram-bind 127.0.0.1:$2
	accepted-payload-size 500
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$5
udp-lb few
	dgram-bind 127.0.0.1:$3
	proxy-requests 3
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$5
udp-lb proxied
	dgram-bind 127.0.0.1:$4
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$5 send-proxy-v2
END
if [ -n "${SHIM:-}" ]; then start_penstock; else start_workers; export NBPROC=1; fi
driver "$srcdir/reg-tests/udp/rows.py" --ports "$*" || failures=1
[ -z "${SHIM:-}" ] || acted "$SHIM"
finish
