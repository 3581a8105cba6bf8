#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every answer is whole while one reload follows the other: stats socket, page, metrics, parent's
# socket. usage: reload_asked.sh [ROUNDS]
. "${0%/*}/../lib.sh"

for n in 1 2; do
	say "## nbproc $n"
	{
		printf '\tnbproc %s\n\tstats timeout 60s\n' "$n"
		http_defaults
		cat <<-END
		frontend fe
			bind $front
			http-request use-service prometheus-exporter if { path /metrics }
			stats uri /stats
			default_backend be
		backend be
			server s1 $back
		END
		for i in $(seq 100); do
			printf 'backend be%s\n\tserver s1 127.0.0.1:1 disabled\n' "$i"
		done
	} | config
	start_workers
	driver "${0%/*}/reload_asked.py" --rounds "${1:-25}" --count "$n"
	check "every answer was whole" test $? -eq 0
	stop_penstock
done
finish
