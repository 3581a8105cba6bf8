#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ktls on: bytes of every size arrive whole in both directions, by pieces, with TLS 1.2, where the
# kernel makes the records if it has TLS (else that is a warning), and with 1.3, where it never
# does.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca localhost
plain=127.0.0.1:$(ports 1)
head -c 12000 /dev/urandom | od -An -tx1 -v | tr -d ' \n' | head -c 12000 >"$certs/body"
config <<END
defaults d
	mode http
	timeout connect 10s
	timeout client 1m
	timeout server 1m
frontend f
	bind $front ssl crt $certs/site.pem ktls on
	default_backend b
backend b
	server s $plain
frontend o
	bind $plain
	option http-buffer-request
	http-request return status 200 content-type text/plain lf-string "%[req.body]" if METH_POST
	http-request return status 200 content-type text/plain file $certs/body
END
start_penstock
command -v curl >/dev/null || exit 77

get() { curl -sS --cacert "$certs/ca.pem" --resolve "localhost:${front#*:}:127.0.0.1" "$@" "https://localhost:${front#*:}/"; }

for version in "--tls-max 1.2" --tlsv1.3; do
	get $version >"$dir/got"
	check "$version: a response" cmp "$dir/got" "$certs/body"
	get $version --data-binary "@$certs/body" >"$dir/got"
	check "$version: a request" cmp "$dir/got" "$certs/body"
done
if [ -e /proc/net/tls_stat ]; then
	exactly KernelTlsConns 2
else
	check "a warning" grep -q "this kernel has no TLS" "$log"
	exactly KernelTlsConns 0
fi
finish
