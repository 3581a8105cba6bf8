#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The counters of bytes never go back: what is sent once more by a retry is counted once, also where
# option contstats counts in between.
. "${0%/*}/../lib.sh"

config <<-END
	$(http_defaults)
		option contstats
		retries 3
		retry-on all-retryable-errors
	frontend fe
		bind $front
		default_backend be
	backend be
		server s $back
END
start_penstock
driver "${0%/*}/retry_bytes.py" || failures=1
finish
