#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: a flood of clients whom the server does not answer takes no places of those whom it has
# answered, whether they talk or are silent, nor keeps new ones out; with workers, too.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 2)
for workers in 1 3; do
	cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	nbproc $workers
udp-lb game
	dgram-bind 127.0.0.1:$1
	maxconn 300
	timeout client 5m
	timeout server 5m
	server s 127.0.0.1:$2
END
	say "# nbproc $workers"
	start_workers
	driver "$srcdir/reg-tests/udp/flood.py" --ports "$*" || failures=1
	stop_penstock
done
finish
