#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a reload has to say reaches everybody: who asked on the parent's socket, show startup-logs,
# the log and stderr, whether a signal or a command asked for it. show proc counts attempts, and the
# failures since the last success.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 2\n\tlog %s format raw local0\n' "$back"
	tcp_proxy
} | config
start_workers
driver "${0%.sh}.py" || failures=1
[ "$failures" -eq 0 ] || cat "$log"
finish
