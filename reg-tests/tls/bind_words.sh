#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words about TLS of bind lines, of crt-lists and of the global section: the verdict on each is that
# of the reference, unless the sentence beside it says why not, and what is wrong is said.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
signed other ca www.example.com
cp "$certs/site.pem" "$certs/bundle.pem.rsa"
cat "$certs/site.crt" "$certs/other.key" >"$certs/mixed.pem"
mkdir "$certs/empty"
openssl req -x509 -nodes -newkey rsa:512 -subj /CN=weak -keyout "$certs/key" -out "$certs/crt" 2>/dev/null
cat "$certs/crt" "$certs/key" >"$certs/weak.pem"
openssl dhparam -dsaparam 2048 >"$certs/dh.pem" 2>/dev/null
cd "$certs" || exit 1

tries=0
# verdict EXPECTED WORDS [GLOBAL LINE] [WHAT IS SAID]
verdict() {
	tries=$((tries + 1))
	{
		printf 'global\n\t%s\ndefaults\n\tmode http\n\ttimeout client 1s\n' "$3"
		printf 'frontend f\n\tbind 127.0.0.1:1 %s\n' "$2"
	} >"$dir/cfg"
	timeout 60 "$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	got=$?
	[ "$got" -eq "$1" ] || { fail "$2 | $3: $got, not $1" && cat "$log"; }
	[ -z "$4" ] || grep -qF -e "$4" "$log" || { fail "$2 | $3: '$4' is not said" && cat "$log"; }
}
on() { verdict "$1" "ssl crt site.pem $2" "" "$3"; }
globally() { verdict "$1" "ssl crt site.pem" "$2" "$3"; }
listed() { printf '%s\n' "$2" >list && verdict "$1" "ssl crt-list list" "" "$3"; }

on 0 "no-tlsv12"
on 1 "no-tlsv12 no-tlsv13" "no version of TLS is left"
on 0 "no-tlsv12 ssl-min-ver TLSv1.1" "have no effect beside"
on 0 "ssl-max-ver TLSv1.1" "below the least version by default"
on 1 "ssl-min-ver TLSv1.3 ssl-max-ver TLSv1.2" "no version of TLS is left"
on 1 "force-sslv3" "does not speak SSLv3"
on 0 "ssl-min-ver SSLv3"
on 1 "ssl-min-ver TLSv1.4" "'TLSv1.4' is not a version"
on 1 "ssl-min-ver"
on 1 "ciphers NOPE" "no cipher of this name"
on 1 "ciphersuites NOPE"
on 1 "curves NOPE" "OpenSSL does not know"
on 1 "ecdhe NOPE"
on 1 "sigalgs NOPE"
on 0 "sigalgs RSA+SHA256:ECDSA+SHA256 client-sigalgs ECDSA+SHA256"
on 1 "alpn"
on 0 "alpn h2,,http/1.1"
on 0 "npn h2" "'npn' has no effect"
on 1 "verify required" "'ca-file' is not given"
on 1 "verify optional"
on 1 "verify perhaps" "none, optional or required"
on 1 "verify required ca-file nope.pem"
on 0 "verify required ca-file ca.pem"
on 0 "verify required ca-file ca.pem ca-verify-file ca.pem"
on 0 "ca-file ca.pem"
on 1 "verify required ca-file ca.pem crl-file ca.pem" "no list of revocations" # taken there, and useless
on 1 "verify required ca-file ca.pem crt-ignore-err 10,foo" "'foo' is not an error"
on 0 "verify required ca-file ca.pem crt-ignore-err all"
on 1 "verify required ca-file ca.pem ca-ignore-err 200"
on 1 "generate-certificates" "needs 'ca-sign-file'"
on 1 "generate-certificates ca-sign-file ca.pem" "key cannot be read"
on 1 "generate-certificates ca-sign-file ca.pem ca-sign-pass nope" "key cannot be read"
on 1 "ssl-default"
on 0 "crt site.pem"
on 0 "strict-sni prefer-client-ciphers no-ca-names no-tls-tickets"
verdict 1 "ssl crt nope.pem" "" "nope.pem"
verdict 1 "ssl crt mixed.pem"
verdict 1 "ssl crt ca.pem" "" "private key"
verdict 1 "ssl crt weak.pem" "" "too short for OpenSSL's security level"
verdict 0 "ssl crt bundle.pem"
verdict 1 "ssl crt empty" "" "needs a certificate"
verdict 1 "ssl" "" "needs a certificate"
verdict 1 "ssl crt" ""
verdict 0 "ssl strict-sni" "" "no certificate yet"
verdict 0 "crt site.pem" "" "no effect without 'ssl'"
verdict 1 "ssl crt-list nope"

globally 1 "ssl-default-bind-options foo" "'foo' is not an option"
globally 1 "ssl-default-bind-options"
globally 0 "ssl-default-bind-options ssl-min-ver TLSv1.0 no-tls-tickets prefer-client-ciphers"
globally 1 "ssl-default-bind-options strict-sni"
globally 1 "ssl-default-bind-ciphers NOPE"
globally 0 "ssl-default-bind-curves X25519:P-256"
globally 1 "ssl-dh-param-file nope"
globally 1 "ssl-dh-param-file site.pem" "no Diffie-Hellman parameters"
globally 0 "ssl-dh-param-file dh.pem"
globally 1 "tune.ssl.default-dh-param 512"
globally 0 "tune.ssl.default-dh-param 2048"
globally 0 "ssl-provider default"
globally 1 "ssl-provider nope" "cannot be loaded"
globally 1 "ssl-engine rdrand" "ssl-provider"
globally 0 "ssl-mode-async" "no effect"
globally 1 "crt-base nope" "nope/site.pem"

listed 0 "site.pem  	 a.b"
listed 0 "site.pem [alpn http/1.1]a.b"
listed 0 "site.pem[alpn http/1.1]"
listed 0 "site.pem a.b [alpn http/1.1]"
listed 0 "site.pem [] a"
listed 0 "site.pem !*"
listed 1 "site.pem alpn h2]" "line 1 of 'list': ']' without '['"
listed 1 "[alpn h2] site.pem" "begins with the file"
listed 1 "site.pem [alpn h2][alpn h2]" "a second '['"
listed 1 "site.pem [foo bar]" "'foo' is not known"
listed 1 "site.pem [verify]" "needs a value"
listed 1 "site.pem [verify required]" "'ca-file' is not given"
listed 0 "site.pem [verify optional ca-file ca.pem]"
listed 1 "site.pem [ca-file nope]"
listed 1 "site.pem [ssl-min-ver TLSv1.9]"
listed 1 "site.pem [ssl-min-ver TLSv1.3 ssl-max-ver TLSv1.2]" "no version of TLS is left"
listed 1 "site.pem [ciphers NOPE]"
listed 1 "site.pem [no-tls-tickets]" "a word of bind lines"
listed 1 "nope.pem"
listed 1 "# nothing"
printf 'site.pem\r\n' >list && verdict 0 "ssl crt-list list"
check "$tries verdicts" test "$failures" -eq 0

# Diffie-Hellman without curves needs parameters: from a file, or of a size.
signed rsa ca rsa.example.com rsa
dhe() { # EXPECTED GLOBAL LINE
	front=127.0.0.1:$(ports 1)
	config <<END
	$2
defaults d
	mode http
	timeout client 1m
frontend f
	bind $front ssl crt $certs/rsa.pem
END
	start_penstock
	got=$(hello rsa.example.com -tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256 | sed -n 's/^Server Temp Key: //p')
	check "DHE with '$2': $1" test "$got" = "$1"
	stop_penstock
}
dhe "" ""
dhe "DH, 2048 bits" "ssl-dh-param-file $certs/dh.pem"
dhe "DH, 2048 bits" "tune.ssl.default-dh-param 4096"
finish
