#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# namespace_list and "namespace *": a PROXY header names the network namespace in which the server
# is connected, if it is listed; it is told to servers, and is that of the bind line without a
# header.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
command -v ip >/dev/null && command -v python3 >/dev/null || { say "needs ip and python3"; exit 77; }
own_network "$@"
blue=penstock-b$$ green=penstock-g$$
leave() {
	ip netns del "$blue" 2>/dev/null
	ip netns del "$green" 2>/dev/null
	cleanup
}
trap leave EXIT
{ ip netns add "$blue" && ip -n "$blue" link set lo up && ip netns add "$green" && ip -n "$green" link set lo up; } \
	2>"$log" || { say "may not make network namespaces: $(cat "$log")"; exit 77; }

set -- $(ports 3)
follows=$1 told=$2 tells=$3
config <<END
namespace_list
	namespace $blue
	namespace unused
defaults
	mode tcp
	timeout connect 20s
	timeout client 60s
	timeout server 60s
listen follows
	bind 127.0.0.1:$follows accept-proxy
	bind 127.0.0.1:$follows accept-proxy namespace $green
	server s $back namespace *
listen tells
	bind 127.0.0.1:$tells accept-proxy
	server s 127.0.0.1:$told send-proxy-v2
frontend told
	mode http
	bind 127.0.0.1:$told accept-proxy
	http-request return status 200 content-type text/plain lf-string "[%[fc_pp_tlv(NETNS)]]"
END
start_penstock

# An origin in each, which says where it is.
cat >"$dir/origin.py" <<'END'
import socket, sys
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(5)
open(sys.argv[3], "w").close()
while True:
    peer = listener.accept()[0]
    peer.recv(1000)
    peer.sendall(sys.argv[2].encode())
    peer.close()
END
# client.py PORT [NAME]: what comes behind a header that names a namespace.
cat >"$dir/client.py" <<'END'
import socket, struct, sys
name = b"".join(b"\x30" + struct.pack(">H", len(n)) + n for n in (a.encode() for a in sys.argv[2:]))
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
s.sendall(b"\r\n\r\n\0\r\nQUIT\n\x21\x11" + struct.pack(">H", 12 + len(name)) +
          bytes([192, 0, 2, 1, 192, 0, 2, 2, 0, 1, 0, 2]) + name +
          b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
got = b""
while True:
    piece = s.recv(1000)
    if not piece:
        break
    got += piece
print(got.split(b"\r\n\r\n")[-1].decode().strip())
END
for where in here "$blue" "$green"; do
	in=
	[ "$where" = here ] || in="ip netns exec $where"
	$in python3 "$dir/origin.py" "${back##*:}" "$where" "$dir/up.$where" &
	children="$children $!"
	check "an origin in $where" until_true 60 test -e "$dir/up.$where"
done
answers() {
	what=$1 wanted=$2
	shift 2
	got=$(timeout 100 ${in:-} python3 "$dir/client.py" "$@" 2>&1 | tail -n 1)
	check "$what: $got" test "$got" = "$wanted"
}
in=
answers "one that is listed" "$blue" "$follows" "$blue"
answers "none" here "$follows"
answers "one that is not listed" here "$follows" "$green"
answers "told on" "[$blue]" "$tells" "$blue"
answers "what is not listed is not" "[]" "$tells" "$green"
in="ip netns exec $green"
answers "that of the bind line" "$green" "$follows"
answers "the header's goes before it" "$blue" "$follows" "$blue"
finish
