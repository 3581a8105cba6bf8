#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gRPC through examples/grpc.cfg, in clear and over TLS: unary and streaming calls both ways, their
# trailers and status, and the end of a call whose server is silent.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
python_with grpc || { say "grpcio is not installed"; exit 77; }

authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
export GRPC_PORT="${front##*:}" GRPC_TLS="${tls##*:}" GRPC_SERVER="${back##*:}"
export GRPC_CERT="$certs/site.pem" GRPC_TIMEOUT=2s GRPC_INTER=100ms
"$PENSTOCK" -db -f "$srcdir/examples/grpc.cfg" >"$log" 2>&1 &
children=$!
"$python" "${0%/*}/grpc_calls.py" "$front" "$tls" "$back" "$certs/ca.pem" || failures=1
check "a log line each" until_true 60 grep -q 'POST /t.T/Unary HTTP/2.0' "$log"
[ "$failures" -eq 0 ]
