#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Connections to servers are shared by exchanges that ask for the same name (sni), and by no others;
# a new connection resumes the session that was made with its own name. What send-proxy says goes in
# front of the ClientHello. The server is a frontend of the same configuration that tells what it
# sees.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca '*.example.com'
tls=127.0.0.1:$(ports 1)
proxied=127.0.0.1:$(ports 1)
config <<END
defaults d
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
frontend front
	bind $front
	use_backend %[req.hdr(to)]
frontend tls
	bind $tls ssl crt $certs/site.pem
	http-request return status 200 content-type text/plain lf-string "sni=%[ssl_fc_sni] port=%[src_port] resumed=%[ssl_fc_is_resumed]"
frontend proxied
	bind $proxied ssl crt $certs/site.pem accept-proxy
	http-request return status 200 content-type text/plain lf-string "sni=%[ssl_fc_sni] src=%[src]:%[src_port] proxy=%[fc_rcvd_proxy]"
backend always
	http-reuse always
	server s $tls ssl ca-file $certs/ca.pem sni req.hdr(host) pool-low-conn 10
backend never
	http-reuse never
	server s $tls ssl ca-file $certs/ca.pem sni req.hdr(host)
backend v1
	server s $proxied ssl ca-file $certs/ca.pem sni req.hdr(host) send-proxy
backend v2
	server s $proxied ssl ca-file $certs/ca.pem sni req.hdr(host) send-proxy-v2
END
start_penstock
python3 "${0%.sh}.py" "$front" || failures=$((failures + 1))
finish
