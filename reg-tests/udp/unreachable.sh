#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ICMP messages of a router: hosts and networks that cannot be reached, or are forbidden, end a
# session at once; those that tell of a smaller MTU, or of a time to live that is over, end none.
# The router is the namespace $right; servers are behind it, in $left.
. "${0%/*}/../lib.sh"
. "$srcdir/reg-tests/three_networks.sh"

needs ip netns exec "$right" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
needs ip link add wr netns "$right" type veth peer name wr netns "$left"
needs ip -n "$right" addr add 10.77.3.1/24 dev wr
needs ip -n "$right" link set wr up
needs ip -n "$left" addr add 10.77.3.2/24 dev wr
needs ip -n "$left" link set wr up
needs ip -n "$left" route add 10.77.2.0/24 via 10.77.3.1
needs ip route add 10.77.0.0/16 via 10.77.2.2
needs ip -n "$right" route del default
needs ip -n "$right" route add unreachable 10.77.4.0/24
needs ip -n "$right" route add prohibit 10.77.5.0/24
needs ip -n "$right" addr add fd77:2::2/64 dev vr nodad
needs ip addr add fd77:2::1/64 dev vr nodad
needs ip route add fd77::/16 via fd77:2::2
needs ip -n "$right" route add unreachable fd77:4::/64
needs ip -n "$right" route add prohibit fd77:5::/64

cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	log stdout format raw local0
END
# A section for each server, on a port of its own.
section() { # NAME PORT SERVER [LINE]
	cat >>"$dir/cfg" <<END
udp-lb $1
	log global
	dgram-bind 127.0.0.1:$2
	timeout client 5m
	timeout server 5m
	$4
	server s $3
END
}
section host 1001 10.77.4.9:53
section network 1002 10.77.6.9:53
section forbidden 1003 10.77.5.9:53
section six 1004 [fd77:4::9]:53
section six_forbidden 1005 [fd77:5::9]:53
section forgets 1006 10.77.4.9:53 "proxy-responses 0"
section there 1007 10.77.3.2:1001 "accepted-payload-size 65507"
start_penstock

cat >"$dir/server.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.77.3.2", 1001))
open(sys.argv[1], "w").close()
while True:
    data, who = s.recvfrom(70000)
    s.sendto(data, who)
END
cat >"$dir/client.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(30)
s.connect(("127.0.0.1", int(sys.argv[1])))
for size in sys.argv[2:]:
    s.send(b"x" * int(size))
    if s.recv(70000) != b"x" * int(size):
        sys.exit("another answer")
END
ip netns exec "$left" python3 "$dir/server.py" "$dir/up" >"$dir/server.log" 2>&1 &
children="$children $!"
check "the server serves" until_true 60 test -e "$dir/up"
row() { ask "show stat" | awk -F, -v p="$1" -v s="$2" -v n="$3" '$1 == p && $2 == s { print $n }'; }
# send_to PORT: a datagram from a port that stays.
send_to() { python3 -c 'import socket,sys; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 1900)); s.sendto(b"x", ("127.0.0.1", int(sys.argv[1])))' "$1"; }
ended() { [ "$(row "$1" FRONTEND 5),$(row "$1" FRONTEND 8),$(row "$1" s 14)" = 0,1,1 ]; }
# The kernel says only so many messages a second, whoever makes it send them: what it kept to itself
# is asked for again. An unreachable route costs the sender twice a second's allowance: who asks
# more often than every two seconds hears nothing at all.
ends() { # NAME PORT
	for again in 1 2 3 4 5 6 7 8 9 10; do
		send_to "$2"
		until_true 2 ended "$1" && return
	done
	return 1
}
port=1001
for name in host network forbidden six six_forbidden; do
	check "a session ends at once: $name" ends $name $port
	check "... as the log says" until_true 60 grep -q " $name .* SD" "$log" || cat "$log"
	port=$((port + 1))
done

# Nobody reads such a socket: the message shows when the next datagram is sent.
refused() { [ "$(row forgets s 14)" -ge 1 ]; }
finds_out() {
	for again in 1 2 3 4 5 6 7 8 9 10; do
		send_to 1006
		send_to 1006
		until_true 3 refused && return
	done
	return 1
}
check "where nobody answers the next datagram finds out" finds_out

timeout 100 python3 "$dir/client.py" 1007 1 1400 20000 || fail "there and back over the router"
client_there() { timeout 100 python3 "$dir/client.py" 1007 1 1400 20000 1400; }
needs ip -n "$right" link set wr mtu 1000
needs ip -n "$left" link set wr mtu 1000
before=$(row there s 14)
# The first one that is too large is lost, as it would be without us: it tells of the MTU.
cat >"$dir/mtu.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.connect(("127.0.0.1", 1007))
s.settimeout(0.5)
for tries in range(100):
    s.send(b"y" * 1400)
    try:
        if s.recv(70000) == b"y" * 1400:
            break
    except TimeoutError:
        pass
else:
    sys.exit("nothing comes back")
END
timeout 100 python3 "$dir/mtu.py" || fail "a smaller MTU on the way"
check "a smaller MTU on the way ends no session, and is no refusal: $before" test "$(row there s 14)" = "$before"
check "and all goes on" client_there
finish
