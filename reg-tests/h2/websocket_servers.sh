#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# WebSocket towards servers, by HTTP/1 and by HTTP/2 (RFC 8441), for clients of both: what "ws",
# "proto" and "alpn" of a server choose; bytes both ways, whoever ends it and how; servers that
# refuse it, do not take it, answer another key, or say nothing.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
authority ca
signed site ca www.example.com
h2=127.0.0.1:$(ports 1)
tls=127.0.0.1:$(ports 1)
only=127.0.0.1:$(ports 1)
without=127.0.0.1:$(ports 1)
late=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	timeout tunnel 2m
	http-reuse always
	log stderr local0
	log-format "logged %HP %ST %ts %[bc_http_major]"
frontend f1
	bind $front
	http-after-response set-header x-spoken "%[bc_http_major]"
	use_backend %[path,field(2,/)]
frontend f2
	bind $h2 proto h2
	http-after-response set-header x-spoken "%[bc_http_major]"
	use_backend %[path,field(2,/)]
backend h2
	server s $back proto h2
backend h2_ws_h2
	server s $back proto h2 ws h2
backend h2_ws_h1
	server s $back proto h2 ws h1
backend h1
	server s $back
backend h1_ws_h1
	server s $back ws h1
backend h1_ws_h2
	server s $back ws h2
backend tls
	server s $tls ssl verify none alpn h2,http/1.1
backend tls_ws_h1
	server s $tls ssl verify none alpn h2 ws h1
backend tls_ws_h2
	server s $tls ssl verify none alpn h2,http/1.1 ws h2
backend tls_only_h2
	server s $only ssl verify none alpn h2
backend tls_proto_h2
	server s $tls ssl verify none proto h2
backend tls_proto_h2_ws_h1
	server s $tls ssl verify none proto h2 ws h1
backend without
	server s $without proto h2
backend late
	server s $late proto h2
backend quick
	timeout server 500ms
	server s $back proto h2
backend tunnel
	timeout tunnel 500ms
	server s $back proto h2
END
start_penstock
driver "${0%/*}/websocket_servers.py" --h2 "$h2" --tls "$tls" --only "$only" --without "$without" --late "$late" \
	--pem "$certs/site.pem" || failures=1
line() { check "the log: $1" until_true 60 grep -q "logged $1" "$log"; }
line "/h2/chat 101 -- 2"
line "/h1/wrong 502 PH"
line "/h1/unkeyed 502 PH"
line "/without/chat 502 PH"
line "/quick/silent 504 sH"
line "/tunnel/chat 101 [cs]D 2"
stop_penstock
finish
