#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Interim responses (100, 103) pass in every combination of HTTP/1 and HTTP/2 before the response
# that they announce, and trailers behind it. Who waits for 100 sends its body only then. A client
# that does not read them holds the server back, and ends by `timeout client'; one that reads late
# gets all. A server that says nothing else for ever is answered for with 502.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
inner=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
global
	tune.sndbuf.client 65536
	tune.rcvbuf.server 65536
frontend fe
	bind $front
	timeout client 2s
	use_backend h2 if { path_beg /h2/ }
	default_backend h1
backend h1
	server s $back
backend h2
	server s $inner proto h2
frontend inner
	bind $inner proto h2
	default_backend h1
END
start_penstock
driver "$srcdir/reg-tests/h2/interim.py" || failures=1
finish
