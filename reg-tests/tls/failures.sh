#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Handshakes that fail, with clients and with servers: the numbers and names of the reference,
# OpenSSL's error, what it means, and the counters.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"
command -v python3 >/dev/null || { say "no python3"; exit 77; }

authority ca
authority stranger
signed site ca www.example.com
own=127.0.0.1:$(ports 1)
hasty=127.0.0.1:$(ports 1)
plain=127.0.0.1:$(ports 1)
config <<END
defaults
	mode http
	timeout connect 1m
	timeout client 1m
	timeout server 1m
	retries 0
	log stdout len 4096 format raw daemon
frontend own
	bind $own ssl crt $certs/site.pem ca-file $certs/ca.pem verify required ciphers ECDHE+AESGCM
	option httplog
	error-log-format "own %[fc_err] <%[fc_err_str]> %[ssl_fc_err,hex] <%[ssl_fc_err_str]> %[ssl_c_err]/%[ssl_c_ca_err] %[ssl_c_used] %[ssl_c_s_dn] %[ssl_fc_sni] %sslv %ft"
frontend hasty
	bind $hasty ssl crt $certs/site.pem
	option httplog
	error-log-format "hasty %[fc_err] <%[fc_err_str]> %[ssl_fc_err,hex] %sslv"
	timeout client 1s
frontend usual
	bind $front name b1 ssl crt $certs/site.pem
	option httplog
	http-request return status 200
frontend to
	bind $plain
	log-format "to %b %[bc_err] <%[bc_err_str]> %[ssl_bc] %[ssl_bc_err,hex] <%[ssl_bc_err_str]> %[ssl_bc_protocol] %ST"
	use_backend %[path,field(2,/)]
backend good
	server s1 $front ssl verify required verifyhost www.example.com ca-file $certs/ca.pem no-ssl-reuse
backend untrusted
	server s1 $front ssl verify required ca-file $certs/stranger.pem
backend name
	server s1 $front ssl verify required verifyhost foo.example.com ca-file $certs/ca.pem
backend sniname
	server s1 $front ssl verify required sni str(foo.example.com) ca-file $certs/ca.pem
backend plain
	server s1 $plain ssl verify none
backend old
	server s1 $front ssl verify none force-tlsv10
END
start_penstock

# raw ADDRESS BYTES-IN-HEXADECIMAL [SECONDS]: sends them, and closes when they are over, or the peer
# does.
raw() {
	python3 - "$@" <<'END'
import select, socket, sys
host, port = sys.argv[1].split(":")
s = socket.create_connection((host, int(port)))
s.sendall(bytes.fromhex(sys.argv[2]))
if len(sys.argv) > 3:
    select.select([s], [], [], float(sys.argv[3]))
s.close()
END
}
# client ADDRESS OPTIONS OF s_client
client() {
	address=$1
	shift
	timeout 60 openssl s_client -connect "$address" "$@" </dev/null >/dev/null 2>&1
}
# logged SENTENCE LINE: a line of the log, from its begin, and no other.
logged() {
	until_true 60 grep -qF -e "$2" "$log"
	check "$1" grep -qF -e "$2" "$log"
}

client "$own" -tls1_2
logged "no certificate" "own 34 <SSL handshake failure> 000000000A0000C7 <error:0A0000C7:SSL routines::peer did not return a certificate> 0/0 0 - - TLSv1.2 own~"
client "$own" -tls1_3 -servername www.example.com -cert "$certs/stranger.pem" -key "$certs/stranger.key"
logged "a certificate of somebody else" "own 31 <SSL client certificate not trusted> 000000000A000086 <error:0A000086:SSL routines::certificate verify failed> 18/0 1 /CN=stranger www.example.com TLSv1.3 own~"
client "$own" -tls1_1 -cipher ALL:@SECLEVEL=0
logged "an old version" "own 34 <SSL handshake failure> 000000000A000102 <error:0A000102:SSL routines::unsupported protocol> 0/0 0 - - TLSv1.1 own~"
client "$own" -tls1_2 -cipher AES128-SHA
logged "no common cipher" "own 34 <SSL handshake failure> 000000000A0000C1 <error:0A0000C1:SSL routines::no shared cipher> 0/0 0 - - TLSv1.2 own~"
raw "$own" 474554202f20485454502f312e300d0a0d0a 60
logged "plain HTTP" "own 34 <SSL handshake failure> 000000000A00009C <error:0A00009C:SSL routines::http request> 0/0 0 - - TLSv1.3 own~"
raw "$own" ""
logged "nothing at all" "own 24 <Connection closed during SSL handshake> 0000000000000000 <-> 0/0 0 - - TLSv1.3 own~"
raw "$hasty" 1603010100 60
logged "a hello that does not end" "hasty 26 <Timeout during SSL handshake> 0000000000000000 TLSv1.3"
column() { ask "show stat" | awk -F, -v at="$1" -v row="$2,$3" '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == at) c = i }
	$1 "," $2 == row { print $c }'; }
check "all of them are counted" test "$(column ssl_failed_handshake own FRONTEND)" = 6

raw "$front" 474554202f20485454502f312e300d0a0d0a 60
logged "the usual line" "usual/b1: SSL handshake failure (error:0A00009C:SSL routines::http request): plain HTTP was sent to a port that speaks TLS"

# asked BACKEND WORDS: what the log says of a request for it.
asked() {
	raw "$plain" "$(printf 'GET /%s HTTP/1.0\r\n\r\n' "$1" | od -An -tx1 | tr -d ' \n')" 60
	logged "server: $1" "to $1 $2"
}
asked good "0 <Success> 1 0000000000000000 <-> TLSv1.3 200"
asked untrusted "34 <SSL handshake failure> 1 000000000A000086 <error:0A000086:SSL routines::certificate verify failed>"
asked name "32 <Server presented an SSL certificate different from the configured one> 1 000000000A000086"
asked sniname "33 <Server presented an SSL certificate different from the expected one> 1 000000000A000086"
asked plain "34 <SSL handshake failure> 1 000000000A00010B <error:0A00010B:SSL routines::wrong version number>"
asked old "34 <SSL handshake failure> 1 000000000A00042E <error:0A00042E:SSL routines::tlsv1 alert protocol version>"
check "sessions of servers" test "$(column ssl_sess good s1) $(column ssl_failed_handshake good s1) $(column ssl_sess name s1) $(column ssl_failed_handshake name s1) $(column ssl_failed_handshake name BACKEND)" = "1 0 0 1 1"
asked good "0 <Success> 1"
check "rates and totals" test "$(info CumSslConns)" -ge 15 -a "$(info SslFrontendMaxKeyRate)" -ge 1 -a "$(info SslBackendMaxKeyRate)" -ge 1
finish
