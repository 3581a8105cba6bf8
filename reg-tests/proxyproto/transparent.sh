#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bind ... transparent takes connections to an address of nobody's, and source ... usesrc shows the
# server the client's address, another one, or that of a header: three network namespaces in a row,
# made and removed by this test.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/three_networks.sh"

no_filter() {
	for part in vl vr all; do
		echo 0 >"/proc/sys/net/ipv4/conf/$part/rp_filter" || return
	done
}
needs takes_all vl
needs takes_all vr
needs no_filter

port=8080
config <<END
defaults
	mode tcp
	timeout connect 20s
	timeout client 60s
	timeout server 60s
listen client
	bind 198.51.100.7:1001 transparent
	tcp-request connection reject if { dst_is_local }
	server s 10.77.2.2:$port source 0.0.0.0 usesrc client
listen clientip
	bind 198.51.100.7:1002 transparent
	source 0.0.0.0 usesrc clientip
	server s 10.77.2.2:$port
listen given
	bind 198.51.100.7:1003 transparent
	server s 10.77.2.2:$port source 0.0.0.0 usesrc 203.0.113.5
listen header
	mode http
	bind 198.51.100.7:1004 transparent
	server s 10.77.2.2:$port source 0.0.0.0 usesrc hdr_ip(x-forwarded-for,-1)
listen first
	mode http
	bind 198.51.100.7:1005 transparent
	source 10.77.2.1 usesrc hdr_ip(x-forwarded-for,1)
	server s 10.77.2.2:$port
listen proxy
	bind 198.51.100.7:1006 transparent accept-proxy
	server s 10.77.2.2:$port source 0.0.0.0 usesrc client
END
start_penstock

# Says who has come, to whatever was said; several times over one connection.
cat >"$dir/origin.py" <<'END'
import socketserver, sys
class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        while self.request.recv(1000):
            who = "%s %d" % self.client_address
            self.request.sendall(("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(who), who)).encode())
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
server = Server(("10.77.2.2", int(sys.argv[1])), Handler)
open(sys.argv[2], "w").close()
server.serve_forever()
END
# client.py PORT TEXT...: what the server says to each text, and our own port.
cat >"$dir/client.py" <<'END'
import socket, sys
s = socket.create_connection(("198.51.100.7", int(sys.argv[1])), timeout=60)
said = []
for text in sys.argv[2:]:
    s.sendall(text.encode().decode("unicode_escape").encode())
    got = b""
    while b"\r\n\r\n" not in got or len(got.split(b"\r\n\r\n")[1]) < int(got.lower().split(b"content-length: ")[1].split(b"\r")[0]):
        piece = s.recv(1000)
        if not piece:
            break
        got += piece
    said.append(got.split(b"\r\n\r\n")[-1].decode())
print(";".join(said).replace(" %d" % s.getsockname()[1], " same"))
END
ip netns exec "$right" python3 "$dir/origin.py" "$port" "$dir/up" >"$dir/origin.log" 2>&1 &
children="$children $!"
check "the origin serves" until_true 60 test -e "$dir/up"

matches() { printf '%s\n' "$1" | grep -qx "$2"; }
# seen WHAT PATTERN PORT TEXT...
seen() {
	what=$1 wanted=$2
	shift 2
	got=$(ip netns exec "$left" python3 "$dir/client.py" "$@" 2>&1 | tail -n 1)
	check "$what: $got" matches "$got" "$wanted"
}
get='GET / HTTP/1.1\r\nHost: a\r\n'
seen "usesrc client" "10\.77\.1\.2 same" 1001 hello
seen "usesrc clientip" "10\.77\.1\.2 [0-9]*" 1002 hello
seen "usesrc an address" "203\.0\.113\.5 [0-9]*" 1003 hello
seen "usesrc hdr_ip, the last" "192\.0\.2\.9 [0-9]*" 1004 "${get}X-Forwarded-For: 192.0.2.8, 192.0.2.9\r\n\r\n"
seen "the first, and without a header our own" "192\.0\.2\.8 [0-9]*;10\.77\.2\.1 [0-9]*;192\.0\.2\.8 [0-9]*" 1005 \
	"${get}X-Forwarded-For: 192.0.2.8, 192.0.2.9\r\n\r\n" "${get}\r\n" "${get}X-Forwarded-For: 192.0.2.8\r\n\r\n"
seen "usesrc client of a PROXY header" "192\.0\.2\.77 4321" 1006 "PROXY TCP4 192.0.2.77 192.0.2.1 4321 80\r\nhello"
finish
