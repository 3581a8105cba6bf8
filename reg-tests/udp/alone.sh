#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb in a single process: its successor, by -x and -sf, or by -sf alone, takes new clients,
# while sessions go on, also where the kernel lacks memory then; a flood of clients is bounded by
# maxconn, and leaves the service as it was; metrics.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 3)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin expose-fd listeners
udp-lb dns
	dgram-bind 127.0.0.1:$1,*:$2
	maxconn 300
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$3
listen metrics
	bind $front
	mode http
	timeout connect 1m
	timeout client 1m
	timeout server 1m
	http-request use-service prometheus-exporter
END
start_penstock
driver "$srcdir/reg-tests/udp/alone.py" --ports "$*" --program "$PENSTOCK" \
	--shim "$(preload)" || failures=1
wait "$pid"
check "the first process has ended well" test $? -eq 0
pid=
finish
