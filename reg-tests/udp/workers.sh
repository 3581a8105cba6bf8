#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb with several workers: each client stays with one of them and its session, nothing is lost,
# doubled or mixed; a reload loses no session, and what is new goes to the new workers; a worker
# that is killed loses its own sessions alone.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 3)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	nbproc 3
udp-lb dns
	dgram-bind 127.0.0.1:$1
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$2
	server b 127.0.0.1:$3
END
start_workers
driver "$srcdir/reg-tests/udp/workers.py" --ports "$*" || failures=1
finish
