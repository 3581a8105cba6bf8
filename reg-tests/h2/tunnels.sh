#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A stream that asks for a tunnel (CONNECT, extended CONNECT) has no body: no byte behind it reaches a
# server that has not agreed, whatever that answers, whoever waits for bodies or repeats requests.
# Others who share the servers' connections get their own answers.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
late=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	timeout http-request 5s
frontend f1
	bind $front proto h2
	http-request deny if { path_beg /admin }
	use_backend %[req.hdr(x-backend)]
backend safe
	server s $back
backend always
	http-reuse always
	server s $back
backend buffers
	option http-buffer-request
	http-reuse always
	server s $back
backend waits
	http-request wait-for-body time 5s
	http-reuse always
	server s $back
backend retries
	retry-on all-retryable-errors
	http-reuse always
	server s $back
backend limits
	filter bwlim-in up default-limit 1m default-period 1s
	http-request set-bandwidth-limit up
	http-reuse always
	server s $back
backend h2
	http-reuse always
	server s $late proto h2
END
start_penstock
driver "${0%/*}/tunnels.py" --late "$late" || failures=1
stop_penstock
finish
