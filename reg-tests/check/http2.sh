#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks of HTTP over HTTP/2: all that is expected of responses and sent in requests is as over
# HTTP/1; "check-proto", "proto", ALPN and "http-check connect" say which protocol is spoken. With
# PENSTOCK=haproxy its results are compared.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
certificate=
if command -v openssl >/dev/null && "$PENSTOCK" help crt-base >/dev/null 2>&1; then
	. "$srcdir/reg-tests/tls/certs.sh"
	authority ca
	signed site ca www.example.com
	certificate=$certs/site.pem
fi
check "all results are those recorded" \
	python3 "$srcdir/reg-tests/check/http2.py" "$PENSTOCK" "$dir" $certificate

# A server of the same program: it sees requests of a client of HTTP/2 as any other.
config <<END
$(http_defaults)
	timeout check 1m
	option httpchk GET /alive
	http-check expect string "2.0 GET http $front"
frontend fe
	bind $front
	http-request return status 200 content-type text/plain lf-string "%[req.ver] %[method] http %[req.hdr(host)]"
backend be
	server s1 $front check inter 100ms check-proto h2
	server s2 $front check inter 100ms proto h2
	server s3 $front check inter 100ms proto h2 check-proto h1
END
passes() { ask "show stat" | grep "^be,$1," | grep -q ",$2,"; }
start_penstock
check "check-proto h2: penstock takes it for a client of HTTP/2" until_true 60 passes s1 L7OK
check "proto h2 does the same" until_true 60 passes s2 L7OK
check "check-proto h1 wins: the request is another one" until_true 60 passes s3 L7RSP
check "nothing was wrong with what was sent" test "$(ask "show stat" | grep ^fe,FRONTEND, | cut -d, -f13)" = 0
finish
