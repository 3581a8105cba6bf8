#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Connections with TLS that are silent give OpenSSL's memory back, on both sides, and go on as if
# nothing had been: requests, what is known of the session, a body, an end.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca localhost
inner=127.0.0.1:$(ports 1)
config <<END
defaults d
	mode http
	timeout connect 1m
	timeout client 5m
	timeout server 5m
frontend f
	bind $front ssl crt $certs/site.pem
	http-response set-header facts "%[ssl_fc_protocol] %[ssl_fc_cipher] %[ssl_fc_session_id,hex]"
	default_backend b
backend b
	http-reuse always
	server s $inner ssl verify none
frontend o
	bind $inner ssl crt $certs/site.pem
	option http-buffer-request
	http-request return status 200 content-type text/plain lf-string "%[req.body_len] %[ssl_fc_protocol]"
END
start_penstock
many=6 # four clients, and both sides of what goes on to the server
! sanitized || many=0
check "silent connections rest, and go on" python3 "${0%/*}/resting.py" "$front" "$stats" "$many"
clients_gone() { test "$(info RestingTlsConns)" -le 2; }
sanitized || check "those of clients that have gone are none" until_true 60 clients_gone
finish
