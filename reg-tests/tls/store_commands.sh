#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Certificates, authorities and revocation lists are changed in four workers at once, or in none;
# replacements have what was changed; broken, huge and interrupted payloads change nothing.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

mutual=$back
authority ca
authority other
signed first ca first.example
signed second ca second.example
signed third ca third.example rsa
signed client ca client.example
signed stranger other stranger.example
touch "$certs/index.txt"
echo 01 >"$certs/crlnumber"
printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s\ncrlnumber=%s\ndefault_md=sha256\ndefault_crl_days=30\n' \
	"$certs/index.txt" "$certs/crlnumber" >"$certs/ca.cnf"
crl() { openssl ca -config "$certs/ca.cnf" -gencrl -keyfile "$certs/ca.key" -cert "$certs/ca.pem" -out "$certs/$1"; }
{
	crl none.crl
	openssl ca -config "$certs/ca.cnf" -revoke "$certs/client.crt" -keyfile "$certs/ca.key" -cert "$certs/ca.pem"
	crl client.crl
} 2>/dev/null
echo "$certs/first.pem" >"$certs/list"
cp "$certs/first.pem" "$certs/kept.pem"
cp "$certs/ca.pem" "$certs/trusted.pem"
cp "$certs/none.crl" "$certs/revoked.crl"

config <<END
	nbproc 4
	stats maxconn 1000
$(http_defaults)
frontend fe
	bind $front ssl crt $certs/kept.pem crt-list $certs/list
	http-request return status 200 content-type text/plain lf-string %pid
frontend mutual
	bind $mutual ssl crt $certs/first.pem ca-file $certs/trusted.pem crl-file $certs/revoked.crl verify required
	http-request return status 200 content-type text/plain lf-string %pid
END
start_workers
driver "${0%/*}/store_commands.py" --certs "$certs" || failures=1
finish
