#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: maxconn of a section and of a dgram-bind line bound the sessions of all workers together,
# and what is shown as their peak; sessions that wait for answers alone count.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 6)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	nbproc 3
END
section() { # NAME PORT WORDS LINE SERVER-PORT
	cat >>"$dir/cfg" <<END
udp-lb $1
	dgram-bind 127.0.0.1:$2 $3
	$4
	timeout client 5m
	timeout server 5m
	server s 127.0.0.1:$5
END
}
section few "$1" "" "maxconn 2" "$6"
section line "$2" "maxconn 2" "" "$6"
section ten "$3" "" "maxconn 10" "$6"
section tenline "$4" "maxconn 10" "" "$6"
section waiting "$5" "" "maxconn 10
	proxy-requests 1" "$6"
start_workers
check "a limit below the number of workers is warned about" grep -qF \
	"'maxconn 2' becomes 3: each of 3 workers may have one session" "$log"
check "... on a line, too" grep -qF \
	"'maxconn 2' becomes 3: each of 3 sockets of each address may have one session" "$log"
driver "$srcdir/reg-tests/udp/limits.py" --ports "$*" || failures=1
finish
