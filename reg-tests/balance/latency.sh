#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# "balance peak-ewma": what one of four workers has met of a slow or failing server, all of them
# know, and those in the place of killed ones; in mode tcp a server that refuses connections counts
# as slow.
. "${0%/*}/../lib.sh"

slow=127.0.0.1:$(ports 1) failing=127.0.0.1:$(ports 1)
refusing=127.0.0.1:$(ports 1) plain=127.0.0.1:$(ports 1)
config <<END
	nbproc 4
$(http_defaults)
	option http-server-close
	balance peak-ewma decay 1h
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend slow
	server quick $back
	server ill $slow
backend failing
	server quick $back
	server ill $failing
listen plain
	mode tcp
	bind $plain
	retries 0
	server quick $back
	server ill $refusing
END
start_workers
driver "${0%/*}/latency.py" --slow "$slow" --failing "$failing" --plain "$plain" || failures=1
finish
