#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Connections that nobody uses any more keep no descriptor from those who are served: answers that
# clients do not take, over TLS and without, fill the table of descriptors, and twenty clients who
# come at once are served at once all the same.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

command -v prlimit >/dev/null || { say "needs prlimit"; exit 77; }
authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
config <<END
	tune.sndbuf.client 16384
$(http_defaults)
	http-reuse never
frontend fe
	bind $front
	bind $tls ssl crt $certs/site.pem
	default_backend be
backend be
	server s1 $back
END
start_penstock
driver "${0%/*}/orphans.py" --tls "$tls" || failures=1
finish
