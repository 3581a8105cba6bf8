#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HTTP/2 towards servers, in clear, for clients of HTTP/1: bodies to the byte both ways, trailers,
# heads without bodies, interim responses; streams of many clients over one connection, and what
# happens to the others when one of them is broken off, refused or left.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
few=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	option abortonclose
frontend fe
	bind $front
	use_backend few if { path_beg /few }
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2
backend few
	http-reuse always
	http-request set-path %[path,regsub(^/few,)]
	server s1 $few proto h2
END
start_penstock
driver "${0%/*}/servers.py" --few "$few" || failures=1
stop_penstock
finish
