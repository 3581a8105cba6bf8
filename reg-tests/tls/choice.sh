#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Which certificate a client gets: by name, from files, folders, bundles and crt-lists, RSA beside
# ECDSA; the options of a line of a crt-list; refusals of strict-sni; generated certificates.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
signed wild ca '*.example.net'
signed both_ec ca both.example.com
signed both_rsa ca both.example.com rsa
cp "$certs/both_ec.pem" "$certs/both.pem.ecdsa" && cp "$certs/both_rsa.pem" "$certs/both.pem.rsa"
signed a ca a.example.org
signed b ca b.example.org
mkdir "$certs/folder" && cp "$certs/a.pem" "$certs/b.pem" "$certs/folder" && cp "$certs/a.key" "$certs/folder/x.key"
cat "$certs/ca.pem" "$certs/ca.key" >"$certs/signer.pem"
signed curves_rsa ca curves.example.com rsa
for curve in 256:prime256v1 384:secp384r1 521:secp521r1; do
	name=p${curve%:*}
	openssl ecparam -name "${curve#*:}" -genkey -noout -out "$certs/$name.key"
	openssl req -x509 -key "$certs/$name.key" -subj "/CN=$name" -addext subjectAltName=DNS:curves.example.com -days 30 \
		-out "$certs/$name.crt"
	cat "$certs/$name.crt" "$certs/$name.key" >"$certs/$name.pem"
done
cat >"$certs/list" <<END
# the default
site.pem !*

wild.pem [alpn special ssl-max-ver TLSv1.2] *.example.net !secret.example.net
both.pem
END

cat >"$certs/mixed" <<END
site.pem
both_rsa.pem *.one.test *.three.test !a.three.test *.four.test
both_ec.pem a.one.test a.three.test
p256.pem *.two.test *.four.test !a.four.test !b.four.test
curves_rsa.pem a.two.test b.four.test
END

for kind in files list mixed strictly strict made p256 p384 p521 all rsa_only; do eval "$kind=127.0.0.1:\$(ports 1)"; done
config <<END
	crt-base $certs
	ca-base $certs
	ssl-default-bind-options ssl-min-ver TLSv1.2
	ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256
defaults d
	mode http
	timeout client 1m
	http-request return status 200
frontend f
	bind $files ssl crt site.pem crt both.pem crt folder
	bind $list ssl crt-list list alpn http/1.1
	bind $mixed ssl crt-list mixed
	bind $strictly ssl crt-list mixed strict-sni
	bind $p256 ssl crt p256.pem crt curves_rsa.pem
	bind $p384 ssl crt p384.pem crt curves_rsa.pem
	bind $p521 ssl crt p521.pem crt curves_rsa.pem
	bind $all ssl crt p256.pem crt p384.pem crt p521.pem crt curves_rsa.pem
	bind $rsa_only ssl crt p256.pem crt curves_rsa.pem ciphers ECDHE-RSA-AES128-GCM-SHA256
	bind $strict ssl crt site.pem strict-sni
	bind $made ssl crt site.pem generate-certificates ca-sign-file signer.pem
END
start_penstock

is() { # EXPECTED LINE NAME OPTIONS
	expected=$1
	eval "front=\$$2"
	shift 2
	got=$(served "$@")
	check "$*: $expected" test "$got" = "$expected"
	[ "$got" = "$expected" ] || echo "instead: $got"
}
is site files www.example.com
is site files unknown.example.com
is site files WWW.EXAMPLE.COM.
is a files a.example.org
is b files b.example.org
is both_ec files both.example.com
is both_rsa files both.example.com -sigalgs RSA-PSS+SHA256
is both_rsa files both.example.com -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256
is wild list x.example.net
is site list secret.example.net
is site list x.y.example.net
is both_ec list both.example.com
is both_rsa list both.example.com -sigalgs RSA-PSS+SHA256
is site strict www.example.com
is "" strict other.example.com
is site made www.example.com
is anything.test made anything.test

# ECDSA is chosen only where the client can verify that curve: in TLS 1.3 its signature schemes
# tell, before that its groups; RSA in TLS 1.3 only by PSS.
curve() { # EXPECTED LINE OPTIONS
	expected=$1 line=$2
	shift 2
	is "$expected" "$line" curves.example.com "$@"
}
for own in 256 384 521; do
	hash=$own
	[ $own != 521 ] || hash=512
	curve p$own p$own -tls1_3
	curve p$own p$own -tls1_2
	curve p$own p$own -tls1_3 -sigalgs ECDSA+SHA$hash:RSA+SHA256
	curve p$own p$own -tls1_3 -groups X25519
	curve p$own p$own -tls1_2 -groups P-$own -sigalgs ECDSA+SHA256
	for sent in 256 384 512; do
		expected=curves_rsa
		[ $sent != $hash ] || expected=p$own
		curve $expected p$own -tls1_3 -sigalgs ECDSA+SHA$sent:RSA-PSS+SHA256
	done
	curve curves_rsa p$own -tls1_2 -groups X25519
	curve curves_rsa p$own -tls1_2 -sigalgs RSA+SHA256
	curve curves_rsa p$own -tls1_3 -sigalgs RSA-PSS+SHA256
	curve p$own all -tls1_3 -sigalgs ECDSA+SHA$hash
	curve p$own all -tls1_2 -groups P-$own
done
curve curves_rsa p256 -tls1_2 -groups P-384
curve curves_rsa p384 -tls1_2 -groups P-256:P-521
curve curves_rsa all -tls1_3 -sigalgs RSA-PSS+SHA512
curve p256 all -tls1_2 -sigalgs RSA+SHA256:ECDSA+SHA384
curve p256 rsa_only -tls1_3
curve curves_rsa rsa_only -tls1_2

# Of exact names and wildcards together what the client can verify is chosen: ECDSA first, then
# exact names.
clients() { # NAME RSA-ONLY ECDSA-ONLY BOTH
	for line in mixed strictly; do
		is "$2" $line "$1" -tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256
		is "$2" $line "$1" -tls1_3 -sigalgs RSA-PSS+SHA256
		is "$3" $line "$1" -tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256
		is "$3" $line "$1" -tls1_3 -sigalgs ECDSA+SHA256
		is "$4" $line "$1" -tls1_2
		is "$4" $line "$1"
	done
}
clients a.one.test both_rsa both_ec both_ec
clients b.one.test both_rsa "" both_rsa
clients a.two.test curves_rsa p256 p256
clients b.two.test "" p256 p256
clients a.three.test "" both_ec both_ec
clients b.three.test both_rsa "" both_rsa
clients a.four.test both_rsa "" both_rsa
clients b.four.test curves_rsa "" curves_rsa
clients c.four.test both_rsa p256 p256
is site mixed a.five.test
is "" strictly a.five.test

front=$list
hello x.example.net -alpn special,http/1.1 >"$dir/said"
check "the line's protocol" grep -q '^ALPN protocol: special' "$dir/said"
check "the line's version" grep -q 'New, TLSv1.2' "$dir/said"
hello both.example.com -alpn special,http/1.1 >"$dir/said"
check "the bind line's protocol" grep -q '^ALPN protocol: http/1.1' "$dir/said"
check "the default's cipher suites" grep -q 'New, TLSv1.3, Cipher is TLS_AES_128_GCM_SHA256' "$dir/said"
front=$strict
timeout 60 openssl s_client -connect "$front" -servername other.example.com </dev/null >"$dir/said" 2>&1
check "strict-sni: its alert" grep -q 'unrecognized name' "$dir/said"
timeout 60 openssl s_client -connect "$front" -noservername </dev/null >"$dir/said" 2>&1
check "strict-sni: without a name, too" grep -q 'unrecognized name' "$dir/said"
front=$made
timeout 60 openssl s_client -connect "$front" -noservername </dev/null >"$dir/said" 2>/dev/null
check "generate-certificates: the default where no name is asked for" grep -q '^subject=.*CN = site$' "$dir/said"
hello anything.test -CAfile "$certs/ca.pem" -verify_return_error -verify_hostname anything.test >"$dir/said"
check "a generated certificate verifies" grep -q 'Verify return code: 0' "$dir/said"
finish
