#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The table of descriptors is full while a hundred streams want connections to servers, of HTTP/1
# each one, of HTTP/2 one for two streams: each stream ends, with an answer or with 500 or 503, and
# all are served when there is room again.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
h2=127.0.0.1:$(ports 1)
config <<END
	maxconn 10
	tune.pool-high-fd-ratio 50
$(http_defaults)
	timeout connect 500ms
	retries 1
frontend fe
	bind $front proto h2
	use_backend h2 if { path_beg /2/ }
	default_backend h1
backend h1
	server s1 $back
backend h2
	http-reuse always
	http-request set-path %[path,regsub(^/2,)]
	server s1 $h2 proto h2
END
run_as="prlimit --nofile=64:64"
command -v prlimit >/dev/null || { say "needs prlimit"; exit 77; }
start_penstock
driver "${0%/*}/descriptors.py" --h2 "$h2" || failures=1
finish
