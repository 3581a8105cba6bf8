#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option grpc-check: SERVING is up, everything else is not, with what the server has said; a server
# of grpcio with its health service goes down and up as it says, for a service and as a whole.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
certificate=
if command -v openssl >/dev/null && "$PENSTOCK" help crt-base >/dev/null 2>&1; then
	. "$srcdir/reg-tests/tls/certs.sh"
	authority ca
	signed site ca www.example.com
	certificate=$certs/site.pem
fi
check "each answer has its result" \
	python3 "$srcdir/reg-tests/check/grpc_answers.py" "$PENSTOCK" "$dir" $certificate

refused() { # TEXT WORDS
	printf 'defaults\n\tmode http\n\ttimeout client 1s\n\ttimeout server 1s\n\ttimeout connect 1s\n' >"$dir/bad"
	printf 'listen l\n\tbind 127.0.0.1:1\n\toption grpc-check %s\n\tserver s %s check %s\n' "$3" "$back" "$2" >>"$dir/bad"
	! "$PENSTOCK" -c -f "$dir/bad" >"$log" 2>&1 && grep -q "$1" "$log"
}
check "check-proto h1 does not go with it" refused "gRPC is HTTP/2" "check-proto h1" ""
check "... nor check-proto none" refused "they are over HTTP" "check-proto none" ""
check "one service is asked for" refused "" "" "a b"
check "... whose name has a limit" refused "at most 120 bytes" "" "$(printf %0121d 0)"

if ! python_with grpc_health.v1.health; then
	say "grpcio-health-checking is not installed"
	finish
fi
config <<END
$(http_defaults)
	timeout check 1m
	default-server inter 100ms rise 1 fall 1 proto h2 check
listen fe
	bind $front proto h2
	server none $back disabled no-check
backend whole
	option grpc-check
	server s1 $back
backend one
	option grpc-check t.T
	server s1 $back
backend unknown
	option grpc-check t.U
	server s1 $back
END
start_penstock
driver "$srcdir/reg-tests/check/grpc_service.py" || failures=1
finish
