#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# namespace on bind and server lines: listening in a network namespace and reaching servers in one,
# across a veth pair, with interface on both; nothing of it can be reached from outside.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
own_network "$@"
ns=penstock-$$
leave() {
	ip netns del "$ns" 2>/dev/null
	cleanup
}
trap leave EXIT
ip netns add "$ns" || exit 77
ip -n "$ns" link set lo up
ip link add v0 type veth peer name v1 netns "$ns"
ip addr add 10.77.0.1/24 dev v0
ip link set v0 up
ip -n "$ns" addr add 10.77.0.2/24 dev v1
ip -n "$ns" link set v1 up

port=${front##*:}
{
	cat <<END
defaults
	mode tcp
	timeout connect 5s
	timeout client 10s
	timeout server 10s
listen inside
	bind 127.0.0.1:$port namespace $ns
	server s1 $back
listen outside
	bind 10.77.0.1:$port interface v0
	server s1 127.0.0.1:${back##*:} namespace $ns
END
} | config
start_penstock

cat >"$dir/origin.py" <<'END'
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(5)
open(sys.argv[3], "w").close()
while True:
    peer = listener.accept()[0]
    peer.sendall(sys.argv[2].encode())
    peer.close()
END
cat >"$dir/client.py" <<'END'
import socket, sys
try:
    print(socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60).recv(100).decode())
except OSError as error:
    print(error.strerror)
END
python3 "$dir/origin.py" "${back##*:}" "from the main one" "$dir/up1" &
children="$children $!"
ip netns exec "$ns" python3 "$dir/origin.py" "${back##*:}" "from the other one" "$dir/up2" &
children="$children $!"
check "origins serve" until_true 60 test -e "$dir/up1" -a -e "$dir/up2"

answer=$(ip netns exec "$ns" python3 "$dir/client.py" 127.0.0.1 "$port")
check "listening inside, server outside: $answer" test "$answer" = "from the main one"
answer=$(ip netns exec "$ns" python3 "$dir/client.py" 10.77.0.1 "$port")
check "over veth by its interface, server inside: $answer" test "$answer" = "from the other one"
answer=$(python3 "$dir/client.py" 127.0.0.1 "$port")
check "what listens inside is not outside: $answer" test "$answer" = "Connection refused"
finish
