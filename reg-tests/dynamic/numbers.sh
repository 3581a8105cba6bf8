#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is counted of an added server is right at each step of its life, in "show stat" and in the
# metrics: added, enabled, with traffic, full with a client waiting, with a worker killed, idle,
# drained, deleted; enabled by its words while clients wait; and nothing of it is left for the next
# one of that name.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
frontend fe
	bind $front
	http-request use-service prometheus-exporter if { path /metrics }
	default_backend be
backend be
	http-reuse always
	server fixed 127.0.0.1:1 disabled
END
start_workers
driver "${0%.sh}_said.py" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
