#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The parent's socket: show proc, prefixes, prompt, levels, reload with a good and a bad file.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n'; tcp_proxy; } | config
start_workers
driver "${0%.sh}.py" || failures=1
stop_penstock

# Threads of existing files.
{
	printf '\tnbthread 3\n\tstats socket ipv4@127.0.0.1:%s level user\n' "$(ports 1)"
	tcp_proxy
	printf '.if defined(HAPROXY_MWORKER)\nbackend seen_while_reading\n.endif\n'
} | config
start_workers
driver "${0%.sh}_threads.py" || failures=1
finish
