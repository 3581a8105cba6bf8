#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# HTTP/2 towards servers over TLS: chosen by ALPN, or by "proto h2"; whose certificate is verified
# as ever. What a connection has asked for or told of a client (name, PROXY header) is not shared
# with others.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
authority ca
authority other
signed site ca www.example.com
h1=127.0.0.1:$(ports 1)
told=127.0.0.1:$(ports 1)
asked=127.0.0.1:$(ports 1)
config <<END
$(http_defaults)
	retries 0
frontend fe
	bind $front
	http-after-response set-header x-spoken "%[bc_http_major] %[ssl_bc_alpn] %[bc_dst_port]"
	use_backend %[req.hdr(x-to)]
backend either
	http-reuse always
	server s $back ssl ca-file $certs/ca.pem alpn h2,http/1.1 sni req.hdr(host)
backend asked
	server s $asked ssl ca-file $certs/ca.pem alpn h2,http/1.1 check inter 100ms rise 1
	option httpchk GET /n/5
backend chosen_h1
	http-reuse always
	server s $h1 ssl ca-file $certs/ca.pem alpn h2,http/1.1
backend forced
	http-reuse always
	server s $back ssl ca-file $certs/ca.pem proto h2
backend without
	http-reuse always
	server s $back ssl ca-file $certs/ca.pem proto h1 alpn h2,http/1.1
backend distrusted
	server s $back ssl ca-file $certs/other.pem alpn h2
backend told
	http-reuse always
	server s $told proto h2 send-proxy
END
"$PENSTOCK" -c -f "$dir/cfg" >"$dir/notices" 2>&1
check "with proto h1, h2 is left out" grep -q "with 'proto h1', 'h2' of 'alpn' is left out" "$dir/notices"
start_penstock
driver "${0%/*}/servers_tls.py" --h1 "$h1" --told "$told" --asked "$asked" --pem "$certs/site.pem" || failures=1
stop_penstock
finish
