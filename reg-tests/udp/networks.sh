#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb between two networks: a server sees the client's own address (usesrc client), a way of a
# small MTU carries rows of datagrams all the same, an ICMP message of the server's host ends a
# session, a port lies in another network namespace. Three namespaces in a row, made and removed by
# this test.
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
ip netns exec "$right" python3 "$dir/server.py" "$dir/up" >"$dir/server.log" 2>&1 &
children="$children $!"
check "the server serves" until_true 60 test -e "$dir/up"
ip netns exec "$left" timeout 100 python3 "${0%.sh}.py" || failures=$((failures + 1))
ended() { [ "$(ask "show stat" | awk -F, '$1 == "nobody" && $2 == "FRONTEND" { print $5 "," $8 }')" = 0,1 ]; }
total() { [ "$(ask "show stat" | awk -F, '$1 == "two" && $2 == "FRONTEND" { print $5 "," $8 }')" = 1,3 ]; }
check "proxy-requests: two datagrams a session" total
check "an ICMP message ends the session" until_true 60 ended
finish
