#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: sessions that have had all datagrams of their client (proxy-requests) and wait for answers
# alone are shown as others, and can be ended; with workers, too.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 2)
for workers in 1 3; do
	cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	nbproc $workers
udp-lb one
	dgram-bind 127.0.0.1:$1
	proxy-requests 1
	timeout client 5m
	timeout server 5m
	server s 127.0.0.1:$2
END
	say "# nbproc $workers"
	start_workers
	driver "$srcdir/reg-tests/udp/waiting.py" --ports "$*" || failures=1
	stop_penstock
done
finish
