#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers killed at random under load: killed_workers.sh [SECONDS]. The others go on; slots,
# counters, queues and the shared memory are whole afterwards.
. "${0%/*}/../lib.sh"

config <<END
	nbproc 4
$(http_defaults)
	timeout queue 2m
	option http-server-close
frontend fe
	bind $front
	default_backend be
backend be
	server s1 $back maxconn 6
END
start_workers
driver "${0%/*}/killed_workers.py" --seconds "${1:-6}" || failures=1
finish
