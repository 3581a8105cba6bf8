#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When the n-th allocation of an exchange over HTTP/2 fails, the exchange or its connection ends,
# and the next one is served: for every n, of clients and of servers of HTTP/2, with addresses out
# of a PROXY header, bodies, trailers and WebSocket.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
[ "$PENSTOCK" != haproxy ] || { say "the reference cannot fail at the n-th"; exit 77; }
# nth: allocations are counted down in its first bytes.
head -c 8 /dev/zero >"$dir/nth"
set -- $(ports 2)
inner=127.0.0.1:$1 proxied=127.0.0.1:$2
config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 30s
	timeout server 30s
frontend fe
	bind $front proto h2
	bind $proxied proto h2 accept-proxy
	option forwardfor
	http-request set-src hdr(x-src) if { path /src }
	use_backend h2 if { path_beg /h2 }
	default_backend h1
backend h1
	server s $back
backend h2
	retries 0
	server s $inner proto h2
frontend inner
	bind $inner proto h2
	default_backend h1
END
start_penstock -dMfail:"$dir/nth"
driver "$srcdir/reg-tests/h2/no_memory.py" --nth "$dir/nth" --proxied $proxied || failures=1
finish
