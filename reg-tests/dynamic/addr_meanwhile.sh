#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A connection that is being made while "set server addr" comes is one to the old address: its
# request ends there, and no other one follows, of HTTP/1 and HTTP/2.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

authority ca
signed site ca www.example.com
gate=127.0.0.2:$(ports 1)
new=127.0.0.3:$(ports 1)
http_config "nbproc 2" <<END
defaults
	mode http
	timeout client 2m
	timeout server 2m
	timeout connect 1m
frontend old
	bind $back ssl crt $certs/site.pem alpn h2,http/1.1
	http-request return status 200 content-type text/plain string old
frontend new
	bind $new ssl crt $certs/site.pem alpn h2,http/1.1
	http-request return status 200 content-type text/plain string new
frontend fe
	bind $front
	use_backend %[path,field(2,/)]
backend h1
	http-reuse always
	server s $gate ssl verify none pool-purge-delay 2m pool-low-conn 100
backend h2
	http-reuse always
	server s $gate ssl verify none alpn h2 pool-purge-delay 2m
backend own
	http-reuse never
	server s $gate ssl verify none
END
start_workers
driver "${0%.sh}.py" --new "$new" --gate "$gate" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
