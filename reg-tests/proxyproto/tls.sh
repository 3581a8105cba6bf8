#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PROXY headers and TLS: what is told of a client's TLS, a header in front of a client's TLS, and in
# front of our own towards a server, in both modes and in checks.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

command -v python3 >/dev/null || { say "python3 is not installed"; exit 77; }
authority ca
signed site ca www.example.com rsa
signed friend ca friend.example.com
set -- $(ports 7)
told=$1 tls=$2 behind=$3 tcp=$4 http=$5 inner=$6 chain=$7
config <<END
defaults
	mode http
	timeout connect 30s
	timeout client 60s
	timeout server 60s
frontend told
	bind 127.0.0.1:$told accept-proxy
	http-request return status 200 content-type text/plain lf-string "%[src] ssl=%[fc_pp_tlv(SSL),hex,bytes(0,10)] version=%[fc_pp_tlv(SSL_VERSION)] cn=%[fc_pp_tlv(SSL_CN)] cipher=%[fc_pp_tlv(SSL_CIPHER)] sig=%[fc_pp_tlv(SSL_SIG_ALG)] key=%[fc_pp_tlv(SSL_KEY_ALG)] alpn=%[fc_pp_tlv(ALPN)] name=%[fc_pp_authority]"
listen tls
	mode tcp
	bind 127.0.0.1:$tls ssl crt $certs/site.pem ca-file $certs/ca.pem verify optional alpn http/1.1 ssl-min-ver TLSv1.3 ciphersuites TLS_AES_128_GCM_SHA256
	server s 127.0.0.1:$told send-proxy-v2-ssl-cn proxy-v2-options ssl-cipher,cert-sig,cert-key,authority,crc32c
listen behind
	bind 127.0.0.1:$behind accept-proxy ssl crt $certs/site.pem
	http-request return status 200 content-type text/plain lf-string "%[src]:%[src_port] %[ssl_fc] %[fc_pp_authority]"
listen tcp
	mode tcp
	bind 127.0.0.1:$tcp accept-proxy
	server s 127.0.0.1:$behind ssl verify none send-proxy
listen http
	bind 127.0.0.1:$http accept-proxy
	server s 127.0.0.1:$behind ssl verify none send-proxy-v2 proxy-v2-options authority check inter 100
listen inner
	mode tcp
	bind 127.0.0.1:$inner
	server s 127.0.0.1:$behind ssl verify none check check-send-proxy send-proxy inter 100
END
start_penstock

# tls.py PORT HEADER TLS [CERT KEY]: a request behind a header (or "-"), in TLS or not: the body.
answers() {
	what=$1 wanted=$2
	shift 2
	got=$(timeout 100 python3 "${0%.sh}.py" "$@" 2>&1 | tail -n 1)
	check "$what: $got" test "$got" = "$wanted"
}
v1="PROXY TCP4 192.0.2.1 198.51.100.2 1001 2002"
v2=x0d0a0d0a000d0a515549540a21110013c0000201c633640203e907d20200046e616d65
of_tls="version=TLSv1.3 cn=%s cipher=TLS_AES_128_GCM_SHA256 sig=ecdsa-with-SHA256 key=RSA2048 alpn=http/1.1 name=www.example.com"

say "## told of a client's TLS"
# used, shown now and when the session began; 0: verified.
answers "with a certificate" "127.0.0.1 ssl=0700000000 $(printf "$of_tls" friend)" "$tls" - tls "$certs/friend.crt" "$certs/friend.key"
answers "without one" "127.0.0.1 ssl=0100000001 $(printf "$of_tls" "")" "$tls" - tls
say "## in front of a client's TLS"
answers "version 1" "192.0.2.1:1001 1" "$behind" "$v1" tls
answers "version 2" "192.0.2.1:1001 1 name" "$behind" "$v2" tls
say "## in front of our TLS"
answers "mode tcp, a client without TLS" "192.0.2.1:1001 1" "$tcp" "$v1" plain
answers "mode http" "192.0.2.1:1001 1 name" "$http" "$v2" plain
say "## checks"
up() { [ "$(ask "show stat $1 4 -1" | sed -n 2p | cut -d, -f18)" = UP ]; }
passed() { ask "show stat $1 4 -1" | grep -q ',L6OK,'; }
check "of mode http" until_true 60 passed http
check "of mode tcp" until_true 60 passed inner
check "the servers are up" up http && check "both" up inner
finish
