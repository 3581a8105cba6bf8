#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb on a port below 1024 whose workers are nobody, behind chroot: a reload keeps their
# sessions, for which they open sockets on that port.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
command -v python3 >/dev/null || { say "needs python3"; exit 77; }
own_network "$@"
# Behind chroot the leak checker finds no /proc.
export ASAN_OPTIONS=detect_leaks=0
mkdir "$dir/empty"
set -- $(ports 1)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	user nobody
	group nogroup
	chroot $dir/empty
	nbproc 2
udp-lb dns
	dgram-bind 127.0.0.1:700,:701
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$1
END
start_workers
driver "$srcdir/reg-tests/udp/rights.py" --server "$1" || failures=1
finish
