#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client of TLS that resets while its answer is stuck is noticed at once, not by `timeout client':
# its descriptor, its place and the server's connection come back. So in mode tcp, over HTTP/1 and
# HTTP/2, with one answer and with many.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
tcp=$(ports 1)
config <<END
defaults d
	mode http
	timeout connect 1m
	timeout client 10m
	timeout http-keep-alive 10m
	timeout server 10m
frontend http
	bind $front ssl crt $certs/site.pem alpn h2,http/1.1
	http-request return status 200 content-type text/plain string hello hdr x-fill $(printf %04000d 0) if { path /here }
	default_backend be
backend be
	server s $back
listen tcp
	mode tcp
	bind 127.0.0.1:$tcp ssl crt $certs/site.pem
	server s $back
END
start_penstock
driver "$srcdir/reg-tests/tls/stuck_resets.py" --tcp "$tcp" || failures=1
finish
