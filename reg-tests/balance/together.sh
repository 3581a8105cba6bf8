#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four workers choose as one would: of twenty equal servers nearly each gets one of the first twenty
# requests, whichever worker takes a connection; behind "clear counters all" and behind a reload,
# too.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
many() {
	i=0
	while [ $((i += 1)) -le 20 ]; do printf '\tserver s%d %s\n' $i "$back"; done
}
config <<END
	nbproc 4
$(http_defaults)
frontend fe
	bind $front
	http-response set-header x-server %s
	use_backend %[path,field(2,/)]
listen origin
	bind $back
	http-request return status 200
$(for algorithm in roundrobin static-rr leastconn; do
	printf 'backend %s\n\tbalance %s\n' $algorithm $algorithm; many; done)
END
start_workers
driver "${0%/*}/together.py" || failures=1
finish
