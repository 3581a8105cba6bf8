#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Health checks with TLS: as the traffic, or when check-ssl says so; elsewhere (port) only then;
# with a name and protocols of their own; rules that connect with TLS; results at layer 6, and why.
# The server is a frontend of the same configuration, which answers by the name that it is asked
# for.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
tls=127.0.0.1:$(ports 1)
plain=127.0.0.1:$(ports 1)
never=127.0.0.1:$(ports 1)
ca="ca-file $certs/ca.pem"
{
	cat <<END
defaults d
	mode http
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	timeout check 1m
	default-server inter 100ms rise 1 fall 1
frontend tls
	bind $tls ssl crt $certs/site.pem alpn http/1.1,http/1.0
	http-request return status 500 if ! { ssl_fc_sni www.example.com }
	http-request return status 501 if { path /alpn } ! { ssl_fc_alpn http/1.0 }
	http-request return status 200
frontend plain
	bind $plain
	http-request return status 200
backend connects
	server as-traffic $tls ssl $ca check
	server alone $tls $ca check check-ssl
	server plain $tls $ca check
	server elsewhere $tls ssl $ca check port ${plain#*:}
	server elsewhere-tls $plain $ca check port ${tls#*:} check-ssl
	server without $plain ssl $ca check no-check-ssl
	server wrong-name $tls ssl $ca verifyhost other.example.com check
	server own-name $tls ssl $ca verifyhost other.example.com check check-sni www.example.com
	server not-tls $plain ssl $ca check
backend asks
	option httpchk GET /alpn
	server named $tls ssl $ca check check-sni www.example.com check-alpn http/1.0
	server other-protocol $tls ssl $ca check check-sni www.example.com alpn http/1.1
	server its-protocol $tls ssl $ca check check-sni www.example.com alpn http/1.0
	server unnamed $tls ssl $ca check
	server agreed $tls ssl $ca check check-sni www.example.com alpn http/1.0 sni str(other.example.com)
backend rules
	option httpchk
	http-check connect ssl sni www.example.com alpn http/1.0
	http-check send meth GET uri /alpn
	http-check expect status 200
	http-check connect port ${plain#*:}
	http-check send meth GET uri /
	http-check expect status 200
	server both $tls $ca check
	server first $plain $ca check
backend steps
	mode tcp
	option tcp-check
	tcp-check connect ssl comment first
	server good $tls $ca check
	server bad $plain $ca check
backend by-default
	mode tcp
	option tcp-check
	tcp-check connect default
	server good $tls ssl $ca check
	server bad $tls ssl $ca check verifyhost other.example.com
backend late
	timeout check 200ms
	server never $never ssl $ca check
END
} | config
python3 -c '
import socket, sys, threading
host, port = sys.argv[1].split(":")
s = socket.create_server((host, int(port)), backlog=1000)
print("ready", flush=True)
kept = []
while True:
    kept.append(s.accept())
' "$never" >"$dir/ready" &
children="$children $!"
check "a server that never answers" until_true 60 grep -q ready "$dir/ready"
start_penstock
# column SERVER FIELD-NUMBER
column() { ask "show stat" | awk -F, -v px="${1%/*}" -v sv="${1#*/}" -v n="$2" '$1 == px && $2 == sv { print $n }'; }
is() { [ "$(column "$1" 37 | tr -d '* ')" = "$2" ]; }
tells() { ask "show stat" | grep "^${1%/*},${1#*/}," | grep -qF "$2"; }
result() { # SERVER STATUS [TEXT]
	check "$1: $2" until_true 60 is "$1" "$2"
	[ -z "${3:-}" ] || check "$1: $3" until_true 60 tells "$1" "$3"
	is "$1" "$2" || ask "show stat" | grep "^${1%/*},${1#*/}," | cut -d, -f 18,37-39,66
}
result connects/as-traffic L6OK
result connects/alone L6OK
result connects/plain L4OK
result connects/elsewhere L4OK
result connects/elsewhere-tls L6OK
result connects/without L4OK
result connects/wrong-name L6RSP "different from the configured one: the server's certificate is not for other.example.com"
result connects/own-name L6OK
result connects/not-tls L6RSP "SSL handshake failure: what the peer sent is not TLS"
result asks/named L7OK
result asks/other-protocol L7STS
result asks/its-protocol L7OK
result asks/unnamed L7STS
result asks/agreed L7OK
result rules/both L7OK
result rules/first L6RSP
result steps/good L6OK
result steps/bad L6RSP "SSL handshake failure: what the peer sent is not TLS at step 1 of tcp-check (connect) comment: 'first'"
result by-default/good L6OK
result by-default/bad L6RSP
result late/never L6TOUT
finish
