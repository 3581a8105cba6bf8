#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is known of servers survives reloads and a new program: health and results of checks,
# weights, drain, maintenance. At no moment is a server that is down taken for one that nobody has
# checked.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 2\n'
	http_proxy "" "check inter 200ms rise 1 fall 1"
	cat <<-END
		server dead 127.0.0.1:$(ports 1) check inter 200ms rise 1 fall 1
		server heavy $back weight 10
		server drained $back
		server off $back
		server lost 127.0.0.1:$(ports 1) check inter 24h rise 1 fall 1
		server byhand 127.0.0.1:$(ports 1) check inter 24h rise 1 fall 99
	END
} | config
cp "$PENSTOCK" "$dir/program"
PENSTOCK=$dir/program
start_workers
driver "${0%.sh}.py" --program "$PENSTOCK" --log "$log" || failures=1
finish
