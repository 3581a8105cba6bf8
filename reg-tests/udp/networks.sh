#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb between two networks: a server sees the client's own address (usesrc client), a way of a
# small MTU carries rows of datagrams all the same, an ICMP message of the server's host ends a session,
# a port lies in another network namespace. Three namespaces in a row, made and removed by this test.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/three_networks.sh"

refused_without_transparent() {
	sed 's/ transparent//' "$dir/cfg" >"$dir/plain"
	! timeout 20 "$PENSTOCK" -db -f "$dir/plain" >"$log" 2>&1 && grep -q "10.99.9.9" "$log"
}

needs ip link set vr mtu 1000
needs ip -n "$right" link set vr mtu 1000
needs takes_all vr
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
udp-lb plain
	dgram-bind 10.77.1.1:1001,:1002
	accepted-payload-size 65507
	timeout client 5m
	timeout server 5m
	server s 10.77.2.2:1001
udp-lb shown
	dgram-bind 10.77.1.1:1003
	timeout client 5m
	timeout server 5m
	source 0.0.0.0 usesrc client
	server s 10.77.2.2:1001
udp-lb one
	dgram-bind 10.77.1.1:1007
	proxy-requests 1
	proxy-responses 1
	timeout client 5m
	timeout server 5m
	source 0.0.0.0 usesrc client
	server s 10.77.2.2:1001
udp-lb two
	dgram-bind 10.77.1.1:1008
	proxy-requests 2
	timeout client 5m
	timeout server 5m
	source 0.0.0.0 usesrc client
	server s 10.77.2.2:1001
udp-lb there
	dgram-bind 10.77.1.2:1004 namespace $left
	timeout client 5m
	timeout server 5m
	server s 10.77.2.2:1001
udp-lb foreign
	dgram-bind 10.99.9.9:1006 transparent
	timeout client 5m
	timeout server 5m
	server s 10.77.2.2:1001
udp-lb nobody
	dgram-bind 10.77.1.1:1005
	timeout client 5m
	timeout server 5m
	server s 10.77.2.2:1009
END
needs takes_all vl
check "without 'transparent' such an address cannot be had" refused_without_transparent
start_penstock
cat >"$dir/server.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.77.2.2", 1001))
open(sys.argv[1], "w").close()
while True:
    data, who = s.recvfrom(70000)
    s.sendto(b"%s:%d " % (who[0].encode(), who[1]) + data, who)
END
cat >"$dir/client.py" <<'END'
import socket
failures = 0
def check(sentence, good):
    global failures
    failures += not good
    print("ok     " if good else "FAILED ", sentence)
def client():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(20)
    return s
def ask(s, to, data=b"x"):
    s.sendto(data, to)
    said, who = s.recvfrom(70000)
    assert who == to, who
    return said
for to in ("10.77.1.1", 1001), ("10.77.1.1", 1002), ("10.77.2.1", 1002):
    s = client()
    check("there and back: %s:%d" % to, ask(s, to).startswith(b"10.77.2.1:"))
    sizes = [1400] * 20 + [900] * 10 + [100] * 10 + [1450, 1450, 3]
    for i, size in enumerate(sizes):
        s.sendto(bytes([i]) * size, to)
    got = [s.recv(70000).split(b" ", 1)[1] for _ in sizes]
    check("... rows of datagrams, some larger than the MTU", got == [bytes([i]) * n for i, n in enumerate(sizes)])
    for size in 20000, 60000:
        check("... fragments of one of %d bytes" % size, ask(s, to, b"f" * size).split(b" ")[1] == b"f" * size)
s = client()
s.bind(("10.77.1.2", 4711))
check("usesrc client shows address and port", ask(s, ("10.77.1.1", 1003)) == b"10.77.1.2:4711 x")
for i in range(30):
    s.sendto(b"%d" % i, ("10.77.1.1", 1003))
check("... and brings all answers", [s.recv(99) for _ in range(30)] == [b"10.77.1.2:4711 %d" % i for i in range(30)])
s = client()
s.bind(("10.77.1.2", 4712))
for i in range(30):
    s.sendto(b"%d" % i, ("10.77.1.1", 1007))
check("... where a session is for one datagram, too", [s.recv(99) for _ in range(30)] == [b"10.77.1.2:4712 %d" % i for i in range(30)])
s = client()
s.bind(("10.77.1.2", 4713))
check("... and where answers end none", all(ask(s, ("10.77.1.1", 1008)) == b"10.77.1.2:4713 x" for _ in range(6)))
check("transparent: an address that is not this machine's", ask(client(), ("10.99.9.9", 1006)).endswith(b" x"))
check("a port in another namespace", ask(client(), ("10.77.1.2", 1004)).endswith(b" x"))
client().sendto(b"x", ("10.77.1.1", 1005))
raise SystemExit(failures)
END
ip netns exec "$right" python3 "$dir/server.py" "$dir/up" >"$dir/server.log" 2>&1 &
children="$children $!"
check "the server serves" until_true 60 test -e "$dir/up"
ip netns exec "$left" timeout 100 python3 "$dir/client.py" || failures=$((failures + 1))
ended() { [ "$(ask "show stat" | awk -F, '$1 == "nobody" && $2 == "FRONTEND" { print $5 "," $8 }')" = 0,1 ]; }
total() { [ "$(ask "show stat" | awk -F, '$1 == "two" && $2 == "FRONTEND" { print $5 "," $8 }')" = 1,3 ]; }
check "proxy-requests: two datagrams a session" total
check "an ICMP message ends the session" until_true 60 ended
finish
