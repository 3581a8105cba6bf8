#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How a client comes to speak HTTP/2: by ALPN, whose default list offers it; by "proto h2"; by the
# preface on a port of HTTP/1, with TLS and without. Where it is not to: "proto h1", no-alpn,
# alpn http/1.1, "option disable-h2-upgrade". One log line a request says HTTP/2.0.
. "${0%/*}/../lib.sh"
. "${0%/*}/../tls/certs.sh"
command -v curl >/dev/null || { say "curl is not installed"; exit 77; }
curl --version | grep -q HTTP2 || { say "curl was built without HTTP/2"; exit 77; }

authority ca
signed site ca www.example.com
h1=127.0.0.1:$(ports 1)
h2=127.0.0.1:$(ports 1)
off=127.0.0.1:$(ports 1)
tls=127.0.0.1:$(ports 1)
tls_h1=127.0.0.1:$(ports 1)
tls_h2=127.0.0.1:$(ports 1)
none=127.0.0.1:$(ports 1)
old=127.0.0.1:$(ports 1)
answer='http-request return status 200 content-type text/plain lf-string "%[req.ver]|%HV|%[ssl_fc_alpn]|%[req.body]|"'
config <<END
defaults
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	option http-buffer-request
frontend clear
	bind $front
	bind $h1 proto h1
	bind $h2 proto h2
	bind $tls ssl crt $certs/site.pem
	bind $tls_h1 ssl crt $certs/site.pem proto h1 alpn h2,http/1.1
	bind $tls_h2 ssl crt $certs/site.pem proto h2 no-alpn
	bind $none ssl crt $certs/site.pem no-alpn
	bind $old ssl crt $certs/site.pem alpn http/1.1
	$answer
	log stderr local0
	log-format "logged %ci:%cp %r"
frontend clear_off
	bind $off
	option disable-h2-upgrade
	$answer
END
start_penstock
check "a notice of what is left out" grep -q "notice: with 'proto h1', 'h2' is left out" "$log"

# says WHERE EXPECTED ARGUMENTS...
says() {
	where=$1 expected=$2
	shift 2
	got=$(curl -s -S -k -m 60 -w '%{http_version} %{http_code}' "$@" 2>&1)
	check "$where: $got" test "$got" = "$expected"
}
prior=--http2-prior-knowledge
says "HTTP/1 by default" "1.1|HTTP/1.1|||1.1 200" "http://$front/"
says "Upgrade: h2c is not taken" "1.1|HTTP/1.1|||1.1 200" --http2 "http://$front/"
says "the preface" "2.0|HTTP/2.0|||2 200" $prior "http://$front/"
says "with a body" "2.0|HTTP/2.0||hello|2 200" $prior -d hello "http://$front/"
says "proto h1" "1.1|HTTP/1.1|||1.1 200" "http://$h1/"
says "proto h2" "2.0|HTTP/2.0|||2 200" $prior "http://$h2/"
says "ALPN" "2.0|HTTP/2.0|h2||2 200" "https://$tls/"
says "with a body" "2.0|HTTP/2.0|h2|hello|2 200" -d hello "https://$tls/"
says "the client wants HTTP/1.1" "1.1|HTTP/1.1|http/1.1||1.1 200" --http1.1 "https://$tls/"
says "the client offers nothing" "1.1|HTTP/1.1|||1.1 200" --no-alpn "https://$tls/"
says "proto h1 with TLS" "1.1|HTTP/1.1|http/1.1||1.1 200" "https://$tls_h1/"
says "proto h2 with TLS, without ALPN" "2.0|HTTP/2.0|||2 200" $prior --no-alpn "https://$tls_h2/"
says "no-alpn" "1.1|HTTP/1.1|||1.1 200" "https://$none/"
says "no-alpn, and the preface" "2.0|HTTP/2.0|||2 200" $prior --no-alpn "https://$none/"
says "alpn http/1.1" "1.1|HTTP/1.1|http/1.1||1.1 200" "https://$old/"
says "option disable-h2-upgrade" "1.1|HTTP/1.1|||1.1 200" "http://$off/"

# refuses WHERE ADDRESS: the preface is answered with 505.
refuses() {
	got=$(printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' | python3 -c '
import socket, sys
host, port = sys.argv[1].split(":")
with socket.create_connection((host, int(port)), 60) as s:
    s.sendall(sys.stdin.buffer.read())
    print(s.makefile("rb").readline().decode().strip())' "$2")
	check "$1: $got" test "$got" = "HTTP/1.1 505 HTTP Version Not Supported"
}
refuses "proto h1" "$h1"
refuses "option disable-h2-upgrade" "$off"

big=$dir/big
head -c 3000 /dev/urandom | od -An -tx1 -v | tr -d ' \n' >"$big"
got=$(curl -s -S -k -m 60 --data-binary "@$big" "https://$tls/")
check "a body comes and goes as it is" test "$got" = "2.0|HTTP/2.0|h2|$(cat "$big")|"
got=$(curl -s -S -k -m 60 "https://$tls/[1-20]" 2>&1 | grep -o 'HTTP/2.0' | wc -l)
check "twenty requests on one connection: $got" test "$got" -eq 20
check "a line for each" until_true 60 sh -c "grep -c 'logged.*GET /[0-9][0-9]* HTTP/2.0' '$log' | grep -qx 20"
peers=$(grep -o 'logged [0-9.:]* GET /[0-9]' "$log" | cut -d' ' -f2 | sort -u | wc -l)
check "and one client: $peers" test "$peers" -eq 1
check "errors are those that were answered" sh -c "\"$tool\" -s \"$stats\" ask \"show errors\" | grep -q \"Total events captured.*: 2\""
finish
