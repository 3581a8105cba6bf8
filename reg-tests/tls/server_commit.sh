#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A certificate, authorities and revocation lists of a server line are changed at run time, with two
# workers: from the commit on neither a connection that was made before it carries another exchange,
# nor is a session resumed that was made before it; in all workers.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
authority other
signed site ca www.example.com
signed before ca before.example.com
signed after ca after.example.com rsa
signed third ca third.example.com
cat "$certs/ca.pem" >"$certs/trusted.pem"
mkdir "$certs/db" && : >"$certs/db/index"
printf '[ca]\ndefault_ca = c\n[c]\ndatabase = %s\ndefault_md = sha256\ndefault_crl_days = 30\n' "$certs/db/index" >"$certs/db/conf"
ca() { openssl ca -batch -config "$certs/db/conf" -keyfile "$certs/ca.key" -cert "$certs/ca.pem" "$@" 2>/dev/null; }
ca -gencrl -out "$certs/list.pem"
cp "$certs/list.pem" "$certs/empty"
ca -revoke "$certs/site.crt"
ca -gencrl -out "$certs/full"
cp "$certs/before.pem" "$certs/ours.pem"
tls=127.0.0.1:$(ports 1)
config <<END
	nbproc 2
defaults d
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	http-reuse always
frontend tls
	bind $tls ssl crt $certs/site.pem ca-file $certs/ca.pem verify required
	http-request return status 200 content-type text/plain lf-string "who=%[ssl_c_s_dn(CN)] port=%[src_port] resumed=%[ssl_fc_is_resumed]"
frontend front
	bind $front
	http-response set-header worker %[proc]
	http-after-response set-header worker %[proc]
	default_backend shared
backend shared
	server s $tls ssl crt $certs/ours.pem ca-file $certs/trusted.pem crl-file $certs/list.pem pool-low-conn 10 pool-purge-delay 10m
END
start_penstock
python3 "${0%.sh}.py" "$front" "$stats" "$certs" || failures=$((failures + 1))
finish
