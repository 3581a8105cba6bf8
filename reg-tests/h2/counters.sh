#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What is counted of connections of HTTP/2: columns h2_* of show stat, lines of show info, metrics.
# Frames of a client and of a server are counted each by its kind, of all workers together; a reload
# keeps the counters.
. "${0%/*}/../lib.sh"

mid=127.0.0.1:$(ports 1)
config <<END
	nbproc 2
$(http_defaults)
frontend fe
	bind $front proto h2
	http-request use-service prometheus-exporter if { path /metrics }
	stats enable
	stats show-modules
	stats uri /stats
	default_backend be
backend be
	http-reuse always
	server s $mid proto h2
frontend inner
	bind $mid proto h2
	default_backend origin
backend origin
	server s $back
END
start_workers
driver "${0%/*}/counters.py" || failures=1
finish
