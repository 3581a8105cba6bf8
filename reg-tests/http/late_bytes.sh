#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Between two exchanges on a shared connection the server sends what nobody asked for: the next
# client gets its own response all the same, over TCP and over TLS. The process is stopped
# meanwhile, so that it finds the client's request and those bytes in one turn.
. "${0%/*}/../lib.sh"

tls=127.0.0.1:$(ports 1)
secure=
if "$PENSTOCK" -vv 2>/dev/null | grep -q OpenSSL && command -v openssl >/dev/null &&
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=origin \
		-keyout "$dir/key" -out "$dir/crt" >/dev/null 2>&1; then
	secure="backend tls
	http-reuse always
	server s $tls ssl verify none"
fi

config <<END
$(http_defaults)
	log ${back%:*}:9 local0
frontend fe
	bind $front
	use_backend %[req.hdr(x-to)]
backend tcp
	http-reuse always
	server s $back
$secure
END
start_penstock
driver "${0%/*}/late_bytes.py" --tls "${secure:+$tls}" || failures=1
finish
