#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each TLS configuration of examples/ does what its first lines promise: see examples.py.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
unshare -n true 2>/dev/null || { say "needs the right to create a network namespace"; exit 77; }
authority house-ca
signed site house-ca www.example.com
signed other house-ca www.example.org
signed site.internal house-ca site.internal
signed mail house-ca mail.example.com
signed shop house-ca x.shop.example.com
authority partners-ca
partner() { # NAME ORGANISATION
	signed "$1" partners-ca "$1"
	openssl req -new -key "$certs/$1.key" -subj "/O=$2/CN=$1" -out "$certs/csr" &&
		openssl x509 -req -in "$certs/csr" -CA "$certs/partners-ca.pem" -CAkey "$certs/partners-ca.key" \
			-days 30 -set_serial "0x$(openssl rand -hex 8)" -out "$certs/$1.crt" 2>/dev/null
}
partner friend Partner
partner former Partner
partner employee Staff
: >"$certs/index"
printf '[ca]\ndefault_ca=c\n[c]\ndatabase=%s\ndefault_md=sha256\ndefault_crl_days=30\n' "$certs/index" >"$certs/conf"
for what in "-revoke $certs/former.crt" "-gencrl -out $certs/partners-crl.pem"; do
	openssl ca -config "$certs/conf" -keyfile "$certs/partners-ca.key" -cert "$certs/partners-ca.pem" $what 2>/dev/null ||
		fail "openssl ca"
done
mkdir "$certs/certs" && cp "$certs/site.pem" "$certs/other.pem" "$certs/certs"
timeout 120 unshare -n python3 "$srcdir/reg-tests/tls/examples.py" "$PENSTOCK" "$srcdir/examples" "$dir" || fail "an example"
finish
