#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# retry-budget: of the requests that two workers have at once only so many are tried again; those of
# a killed worker count no more; connections that fail are retries, too.
. "${0%/*}/../lib.sh"

refusing=127.0.0.1:$(ports 1)
config <<END
	nbproc 2
$(http_defaults)
	http-reuse never
	retries 1
	retry-on 503 conn-failure
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend share
	retry-budget 20 min 1
	server s $back
backend one
	retry-budget 0 min 1
	server s $back
backend none
	retry-budget 0 min 0
	server s $back
backend refused
	retry-budget 0 min 0
	server s $refusing
END
start_workers
driver "${0%/*}/retry_budget.py" || failures=1
finish
