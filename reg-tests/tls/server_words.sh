#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the words of server lines about TLS make of a connection, as the server sees it: versions,
# ciphers, names, protocols, our certificate, resumed sessions; on the line, by default-server, and
# by the defaults of the global section; each taken back where that can be.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
signed client ca client.example.com
tls=127.0.0.1:$(ports 1)
plain=127.0.0.1:$(ports 1)
ca="ca-file ca.pem"

# one NAME: a backend with a server with $server_words. two NAME: behind default-server
# $default_words.
one() { printf 'backend %s\n\tserver s %s ssl %s\n' "$1" "$tls" "$server_words"; }
two() {
	printf 'backend %s\n\tdefault-server ssl %s\n' "$1" "$default_words"
	printf '\tserver s %s %s\n' "$tls" "$server_words"
}
{
	cat <<END
defaults d
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	http-reuse never
	retries 0
frontend front
	bind $front
	use_backend %[req.hdr(to)]
frontend tls
	bind $tls ssl crt $certs/site.pem ca-file $certs/ca.pem verify optional alpn http/1.1,http/1.0
	http-request return status 200 content-type text/plain lf-string "sni=%[ssl_fc_sni] version=%[ssl_fc_protocol] cipher=%[ssl_fc_cipher] alpn=%[ssl_fc_alpn] crt=%[ssl_c_s_dn(cn)] resumed=%[ssl_fc_is_resumed]"
frontend plain
	bind $plain
	http-request return status 200 content-type text/plain string "plain=yes"
backend nossl
	default-server ssl $ca
	server s $plain no-ssl
END
	server_words="$ca" one usual
	server_words="$ca sni str(www.example.com)" one named
	server_words="$ca sni req.hdr(host)" one asked
	server_words="$ca alpn http/1.0,http/1.1" one alpn
	server_words="$ca ssl-min-ver TLSv1.3" one min
	server_words="$ca ssl-max-ver TLSv1.2" one max
	server_words="$ca force-tlsv12" one force12
	server_words="$ca force-tlsv13" one force13
	server_words="$ca no-tlsv13 no-sslv3 no-tlsv10 no-tlsv11" one no13
	server_words="$ca no-tlsv12" one no12
	server_words="$ca ssl-max-ver TLSv1.2 ciphers ECDHE-ECDSA-CHACHA20-POLY1305" one ciphers
	server_words="$ca ciphersuites TLS_CHACHA20_POLY1305_SHA256" one suites
	server_words="$ca sigalgs RSA+SHA256" one sigalgs
	server_words="$ca crt client.pem" one crt
	server_words="$ca client-sigalgs ECDSA+SHA256 crt client.pem" one signs
	server_words="$ca client-sigalgs RSA-PSS+SHA256 crt client.pem" one signs_otherwise
	server_words="$ca curves P-384:brainpoolP256r1" one curves
	server_words="$ca ssl-max-ver TLSv1.2 curves brainpoolP256r1" one other_curves
	server_words="$ca no-ssl-reuse" one fresh
	server_words="$ca force-tlsv12 no-tls-tickets" one ids
	default_words="$ca no-ssl-reuse" server_words="ssl-reuse" two reuse
	default_words="$ca force-tlsv12 no-tls-tickets" server_words="tls-tickets" two tickets
	default_words="$ca verifyhost other.example.com" server_words="no-verifyhost" two anyhost
	default_words="$ca" server_words="verifyhost other.example.com" two host
} >"$dir/rest"
# with LINES FILE: the configuration of that file, behind these lines of the global section
with() {
	printf '\tca-base %s\n\tcrt-base %s\n%s\n' "$certs" "$certs" "$1" | cat - "$dir/$2" | config
	start_penstock
}

with "" rest
python3 "${0%.sh}.py" "$front" || failures=$((failures + 1))
stop_penstock

# Two of them do not go together with the default.
awk '/^backend/ { off = /backend (min|no12)$/ } !off' "$dir/rest" >"$dir/less"
with "	ssl-default-server-ciphers ECDHE-ECDSA-AES256-GCM-SHA384
	ssl-default-server-ciphersuites TLS_AES_128_GCM_SHA256
	ssl-default-server-options no-tls-tickets ssl-max-ver TLSv1.2" less
python3 - "$front" <<'PY' || failures=$((failures + 1))
import sys
from service import check, finish
from visits import get

for to, wanted in (("usual", "TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384"),
                   ("force13", "TLSv1.3 TLS_AES_128_GCM_SHA256"),
                   ("ciphers", "TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305")):
    status, said, body = get(sys.argv[1], to)
    check(f"defaults of the global section, {to}: {wanted}",
          f"{said.get('version')} {said.get('cipher')}" == wanted, body)
finish()
PY
stop_penstock

for list in "ssl-default-server-curves brainpoolP256r1" "ssl-default-server-sigalgs RSA-PSS+SHA256"; do
	with "	$list
	ssl-default-server-options ssl-max-ver TLSv1.2
	ssl-default-server-client-sigalgs ECDSA+SHA256" less
	python3 - "$front" "$list" <<-'PY' || failures=$((failures + 1))
	import sys
	from service import check, finish
	from visits import get
	check(sys.argv[2], get(sys.argv[1], "usual")[0] == 503)
	finish()
	PY
	stop_penstock
done

# verdict LINE-OF-GLOBAL: what -c says of a server with $server_words then.
verdict() {
	printf 'global\n\tmaxconn 10\n%s\nbackend b\n\tserver s 127.0.0.1:1 ssl %s\n' "$1" "$server_words" >"$dir/words"
	"$PENSTOCK" -c -f "$dir/words" >"$log" 2>&1
	test $? -ne 1
}
refused() { ! verdict "$1" && grep -qF "$2" "$log"; }
server_words=""
check "verification needs authorities" refused "" "there is no 'ca-file'"
check "ssl-server-verify none" verdict "$(printf '\tssl-server-verify none\n')"
check "ssl-server-verify required" refused "$(printf '\tssl-server-verify required\n')" "no 'ca-file'"
"$PENSTOCK" -dV -c -f "$dir/words" >"$log" 2>&1
check "-dV" test $? -ne 1
server_words="verify optional"
check "verify optional" refused "" "'none' or 'required'"
server_words="verify none force-sslv3"
check "SSLv3 is gone" refused "" "OpenSSL does not speak SSLv3"
server_words="verify none force-tlsv10 ciphers DEFAULT@SECLEVEL=0"
check "TLS 1.0 can be wanted" verdict ""
server_words="verify none force-tlsv11 ciphers DEFAULT@SECLEVEL=0"
check "TLS 1.1 can be wanted" verdict ""
server_words="verify none npn http/1.1"
check "npn is taken" verdict ""
check "and has no effect" grep -q "write 'alpn http/1.1'" "$log"
server_words="verify none crt /nonexistent.pem"
check "the certificate has to be there" refused "" "/nonexistent.pem"
server_words="crl-file /nonexistent.pem ca-file $certs/ca.pem"
check "the list of revocations has to be there" refused "" "/nonexistent.pem"
finish
