#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers are killed in the middle of changes, of transactions of certificates, and while the parent
# reloads: afterwards all workers agree, what was said to be done is done, and what was cut is not.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"

authority ca
signed first ca first.example
signed second ca second.example
cp "$certs/first.pem" "$certs/kept.pem"
http_config "nbproc 4" "stats maxconn 100" <<END
frontend fe
	bind $front ssl crt $certs/kept.pem
	default_backend be
backend be
	server s1 $back weight 1
	server s2 $back weight 1
END
start_workers
driver "${0%.sh}.py" --certs "$certs" || failures=1
[ "$failures" -eq 0 ] || tail -n 40 "$log"
finish
