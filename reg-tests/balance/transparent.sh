#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# option transparent takes a client to the address that it asked for, in mode tcp and http, unless
# its cookie names a server; dispatch goes first. Three network namespaces in a row, made and
# removed by this test.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/three_networks.sh"

# The addresses 10.77.2.3 and 10.77.2.4 are the origin's; a bind line takes what comes from the left
# for them.
needs ip -n "$right" addr add 10.77.2.3/24 dev vr
needs ip -n "$right" addr add 10.77.2.4/24 dev vr
needs takes_all vl

config <<END
defaults
	timeout connect 20s
	timeout client 60s
	timeout server 60s
listen tcp
	mode tcp
	bind 10.77.2.3:1001,10.77.2.4:1001 transparent
	transparent
listen http
	mode http
	bind 10.77.2.3:1002,10.77.2.4:1002 transparent
	option transparent
	cookie S
	server s 10.77.2.2:1002 cookie a
listen dispatch
	mode tcp
	bind 10.77.2.3:1003 transparent
	option transparent
	dispatch 10.77.2.4:1001
END
start_penstock

# Says at which address it was reached.
cat >"$dir/origin.py" <<'END'
import socketserver, sys, threading
class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        while self.request.recv(1000):
            where = "%s:%d" % self.request.getsockname()
            self.request.sendall(("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(where), where)).encode())
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
for port in 1001, 1002:
    threading.Thread(target=Server(("0.0.0.0", port), Handler).serve_forever).start()
open(sys.argv[1], "w").close()
END
# client.py ADDRESS PORT TEXT...: what is said to each text.
cat >"$dir/client.py" <<'END'
import http.client, sys
c = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]), timeout=60)
said = []
for cookie in sys.argv[3:]:
    c.request("GET", "/", headers={"Cookie": cookie})
    said.append(c.getresponse().read().decode())
print(";".join(said))
END
ip netns exec "$right" python3 "$dir/origin.py" "$dir/up" >"$dir/origin.log" 2>&1 &
children="$children $!"
check "the origin serves" until_true 60 test -e "$dir/up"

# reached WHAT WANTED ADDRESS PORT COOKIE...
reached() {
	what=$1 wanted=$2
	shift 2
	got=$(ip netns exec "$left" python3 "$dir/client.py" "$@" 2>&1 | tail -n 1)
	check "$what: $got" test "$got" = "$wanted"
}
reached "mode tcp, one address" 10.77.2.3:1001 10.77.2.3 1001 -
reached "mode tcp, another one" 10.77.2.4:1001 10.77.2.4 1001 -
reached "mode http, by cookies" "10.77.2.3:1002;10.77.2.2:1002;10.77.2.3:1002" 10.77.2.3 1002 - S=a S=b
reached "not over a connection to another address" 10.77.2.4:1002 10.77.2.4 1002 -
reached "dispatch goes first" 10.77.2.4:1001 10.77.2.3 1003 -
finish
