#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The table of descriptors is full of idle connections to one server: a new connection to another
# one closes the oldest of them, and the request is answered.
. "${0%/*}/../lib.sh"

other=127.0.0.1:$(ports 1)
config <<END
	maxconn 10
$(http_defaults)
	retries 0
frontend fe
	bind $front proto h2
	use_backend other if { path_beg /other }
	default_backend be
backend be
	http-reuse always
	server s $back pool-purge-delay 10m
backend other
	http-reuse always
	server s $other pool-purge-delay 10m
END
run_as="prlimit --nofile=64:64"
command -v prlimit >/dev/null || { say "needs prlimit"; exit 77; }
start_penstock
driver "${0%/*}/full_of_idle.py" --other "$other" || failures=1
finish
