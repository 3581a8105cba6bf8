#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# TLS with clients of all kinds: versions, ALPN, names, sessions, a ClientHello byte by byte and in
# shreds of records, bodies of all sizes both ways at once, new keys in the middle, ends of every
# kind: see clients.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import ssl' 2>/dev/null || continue
	python=${python:-$candidate}
	"$candidate" -c 'import tlslite' 2>/dev/null && python=$candidate && break
done
[ "$python" ] || { say "needs python3"; exit 77; }
authority ca
signed site ca www.example.com
signed rsa ca www.example.com rsa
signed other ca other.example.com
raw=127.0.0.1:$(ports 1)
config <<END
defaults d
	mode http
	timeout connect 10s
	timeout client 1m
	timeout server 1m
frontend f
	bind $front ssl crt $certs/site.pem crt $certs/rsa.pem crt $certs/other.pem alpn http/1.1
	default_backend b
backend b
	server s $back
listen t
	mode tcp
	bind $raw ssl crt $certs/site.pem
	server s $back
END
start_penstock
timeout 900 "$python" "$srcdir/reg-tests/tls/clients.py" "$front" "$raw" "$back" "$certs" || fail "a client"
finish
