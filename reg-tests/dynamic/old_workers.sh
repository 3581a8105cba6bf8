#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers of before a reload hear of servers and backends that are deleted behind it. What rules,
# servers that track, and "use_backend" of their own configuration point at stays there, in
# maintenance or unpublished; a backend goes with the servers that it has there alone; and what is
# left at their end (a server that warms up, idle connections) is let go of.
. "${0%/*}/../lib.sh"

http_config "nbproc 2" <<END
defaults web
	mode http
	timeout connect 10s
	timeout server 1m
END
start_workers
own_driver
finish
