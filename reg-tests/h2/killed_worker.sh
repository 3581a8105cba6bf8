#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker is killed while streams of HTTP/2 run through it: those of the others go on, and a new
# one takes its place.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
	nbproc 2
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2 maxconn 40
END
start_workers
driver "${0%/*}/killed_worker.py" || failures=1
finish
