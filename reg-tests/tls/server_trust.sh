#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Certificates of servers: which are accepted, by authority, name, time and list of revocations;
# what the log says of those that are not, how often they are tried, and how the exchange ends. The
# name is that of "sni", else that of "verifyhost".
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
authority other
signed site ca www.example.com
signed wild ca '*.example.net'
signed revoked ca www.example.com
signed strange other www.example.com
key "$certs/address.key"
openssl req -x509 -key "$certs/address.key" -subj /CN=address -addext subjectAltName=IP:127.0.0.1 -days 30 \
	-out "$certs/address.crt"
key "$certs/expired.key"
openssl req -new -key "$certs/expired.key" -subj /CN=expired -out "$certs/csr"
by ca -in "$certs/csr" -startdate 20200101000000Z -enddate 20200201000000Z -out "$certs/expired.crt" -notext
by ca -revoke "$certs/revoked.crt"
by ca -gencrl -out "$certs/ca.crl"
for name in address expired; do cat "$certs/$name.crt" "$certs/$name.key" >"$certs/$name.pem"; done

tls() { # CERTIFICATE: a frontend that shows it
	eval "at_$1=127.0.0.1:\$(ports 1)"
	eval "printf 'frontend tls-%s\n\tbind %s ssl crt $certs/$1.pem\n\thttp-request return status 200\n' \$1 \$at_$1"
}
backend() { # NAME CERTIFICATE WORDS
	eval "printf 'backend %s\n\tserver s %s ssl %s\n' \$1 \$at_$2 \"\$3\""
}
{
	cat <<END
	log ring@lines format raw local0
ring lines
	format raw
	size 100000
defaults d
	mode http
	log global
	option httplog
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	retries 1
frontend front
	bind $front
	use_backend %[req.hdr(to)]
END
	printf 'defaults e from d\n\tno log\n'
	tls site
	tls wild
	tls revoked
	tls strange
	tls address
	tls expired
	printf 'defaults f from d\n\tretries 0\n'
	ca="ca-file $certs/ca.pem"
	backend good site "$ca"
	backend named site "$ca verifyhost www.example.com"
	backend asked site "$ca sni req.hdr(host)"
	backend sni-first site "$ca sni str(www.example.com) verifyhost other.example.com"
	backend wildcard wild "$ca sni str(a.example.net)"
	backend address address "ca-file $certs/address.pem verifyhost 127.0.0.1"
	backend crl site "$ca crl-file $certs/ca.crl"
	backend folder site "ca-file $certs/folder"
	backend trusting strange "verify none"
	backend unnamed wild "$ca sni req.hdr(nothing)"
	backend authority strange "$ca"
	backend host site "$ca verifyhost other.example.com"
	backend deep wild "$ca sni str(a.b.example.net)"
	backend other-address address "ca-file $certs/address.pem verifyhost 127.0.0.2"
	backend expired expired "$ca"
	backend revoked revoked "$ca crl-file $certs/ca.crl"
	printf 'defaults g from d\n\tretries 1\n'
	backend again strange "$ca"
	backend mixed strange "$ca"
	eval "printf '\toption redispatch\n\tserver s2 %s ssl $ca\n' $at_site"
} >"$dir/rest"
mkdir "$certs/folder" && cp "$certs/ca.pem" "$certs/folder/ca.crt" && cp "$certs/other.pem" "$certs/folder/other.pem"
config <"$dir/rest"
start_penstock
python3 - "$front" <<'PY' || failures=$((failures + 1))
import sys
from service import check, finish
from visits import get

front = sys.argv[1]
for to in ("good", "named", "asked", "sni-first", "wildcard", "address", "crl", "folder", "trusting", "unnamed"):
    status, said, body = get(front, to)
    check(f"{to}: accepted", status == 200, (status, body))
for to in ("authority", "host", "deep", "other-address", "expired", "revoked", "again"):
    status, said, body = get(front, to)
    check(f"{to}: refused", status == 503, (status, body))
status, said, body = get(front, "asked", host="other.example.com")
check("asked: refused for another name", status == 503)
status, said, body = get(front, "asked", host="x" * 300)
check("asked: a name that is too long for one", status == 503)
for i in range(4):
    status, said, body = get(front, "mixed")
    check("mixed: the server that is trusted answers", status == 200, (status, body))
finish()
PY
ask "show events lines" >"$dir/lines"
says() { check "$1: $2" grep -qF "Server $1/s: TLS handshake failed: the server's certificate$2" "$dir/lines"; }
says authority ": unable to get local issuer certificate (/CN=strange)"
says host " is not for other.example.com (/CN=site)"
says asked " is not for other.example.com (/CN=site)"
says deep " is not for a.b.example.net (/CN=wild)"
says other-address " is not for 127.0.0.2 (/CN=address)"
says expired ": certificate has expired (/CN=expired)"
says revoked ": certificate revoked (/CN=revoked)"
check "OpenSSL's reason" grep -q "authority/s: .*\[error:0A000086:SSL routines::certificate verify failed\]" "$dir/lines"
check "codes and retries" grep -q ' authority/s 0/0/-1/-1/[0-9]* 503 .* SC-- [0-9]*/1/0/0/0 ' "$dir/lines"
check "as many as it may" grep -q ' again/s 0/0/-1/-1/[0-9]* 503 .* SC-- [0-9]*/1/0/0/1 ' "$dir/lines"
[ "$failures" -eq 0 ] || cat "$dir/lines"
finish
