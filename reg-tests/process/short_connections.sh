#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Short connections are spread over four workers: the CPU time of the one with most is at most 1.3
# times that of the one with least. Where other programs keep a worker from running for long,
# the others do its work: one even round of several is asked for.
# usage: short_connections.sh [CONNECTIONS [AT-A-TIME...]]   (8000 and 16; by hand: 100000 1 16 64)
. "${0%/*}/../lib.sh"

command -v wrk >/dev/null || exit 77
config <<END
	nbproc 4
defaults
	mode http
	timeout client 2m
frontend fe
	bind $front
	http-request return status 200 content-type text/plain string "short"
END
start_workers
check "four workers share the work" driver "${0%.sh}.py" "$@"
finish
