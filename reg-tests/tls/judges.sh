#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that look for faults of TLS servers find none, in the configurations of examples/ and on
# a bind line that says nothing but "ssl crt": see judges.py. sslyze and tlslite-ng are packages of
# Python (pip install sslyze tlslite-ng), so this is left out where sslyze is missing. testssl.sh
# takes some minutes and is asked for:
#
#	JUDGES="sslyze tlslite testssl" sh ../reg-tests/tls/judges.sh
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

: "${JUDGES:=sslyze tlslite}"
unshare -n true 2>/dev/null || { say "needs the right to create a network namespace"; exit 77; }
python=
for candidate in python3 /usr/bin/python3; do
	case " $JUDGES " in
	*" sslyze "*) "$candidate" -c 'import sslyze' 2>/dev/null && python=$candidate && break ;;
	*) python=python3 ;;
	esac
done
[ "$python" ] || { say "needs sslyze (pip install sslyze)"; exit 77; }
case " $JUDGES " in
*" testssl "*) command -v testssl >/dev/null || { say "needs testssl (package testssl.sh)"; exit 77; } ;;
esac

# What judges want to see of certificates, too: authorities that say what they are for, RSA beside
# ECDSA.
strict() { # NAME
	key "$certs/$1.key"
	openssl req -x509 -key "$certs/$1.key" -days 90 -subj "/CN=$1" -addext keyUsage=critical,keyCertSign,cRLSign \
		-addext subjectKeyIdentifier=hash -out "$certs/$1.pem"
}
leaf() { # NAME AUTHORITY USAGE [rsa]
	key "$certs/$1.key" "${4:-}"
	printf '%s\n' subjectAltName=DNS:www.example.com basicConstraints=critical,CA:FALSE "extendedKeyUsage=$3" \
		authorityKeyIdentifier=keyid subjectKeyIdentifier=hash \
		"keyUsage=critical,digitalSignature${4:+,keyEncipherment}" >"$certs/ext"
	openssl req -new -key "$certs/$1.key" -subj "/CN=www.example.com/O=Partner" -out "$certs/csr" &&
		openssl x509 -req -in "$certs/csr" -CA "$certs/$2.pem" -CAkey "$certs/$2.key" -days 90 -sha256 \
			-set_serial "0x1$(openssl rand -hex 8)" -extfile "$certs/ext" -out "$certs/$1.crt" 2>/dev/null
	cat "$certs/$1.crt" "$certs/$1.key" >"$certs/$1.pem"
}
strict house-ca
strict partners-ca
leaf site house-ca serverAuth
leaf rsa house-ca serverAuth rsa
leaf friend partners-ca clientAuth
: >"$certs/index"
printf '[ca]\ndefault_ca=c\n[c]\ndatabase=%s\ndefault_md=sha256\ndefault_crl_days=30\n' "$certs/index" >"$certs/conf"
openssl ca -config "$certs/conf" -keyfile "$certs/partners-ca.key" -cert "$certs/partners-ca.pem" -gencrl \
	-out "$certs/partners-crl.pem" 2>/dev/null || fail "openssl ca"
mkdir "$certs/certs"
cp "$certs/site.pem" "$certs/certs/site.pem.ecdsa"
cp "$certs/rsa.pem" "$certs/certs/site.pem.rsa"
timeout 3000 unshare -n "$python" "$srcdir/reg-tests/tls/judges.py" "$PENSTOCK" "$srcdir/examples" "$dir" $JUDGES ||
	fail "a judge"
finish
