#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hard-stop-after: a soft stop ends at the latest after this time, whoever is still connected.
. "${0%/*}/../lib.sh"

{
	echo "	hard-stop-after 300ms"
	tcp_proxy
} | config
start_penstock
python3 - "$front" "$back" "$pid" <<'END' || failures=1
import os, signal, socket, sys

def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)

origin = socket.socket()
origin.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
origin.bind(address(sys.argv[2]))
origin.listen(5)
client = socket.create_connection(address(sys.argv[1]), timeout=60)
server = origin.accept()[0]
os.kill(int(sys.argv[3]), signal.SIGUSR1)
try:
    assert client.recv(100) == b""
except ConnectionResetError:
    pass
print("ok      the connection was ended")
END
wait "$pid"
check "it leaves with 0" test $? -eq 0
pid=
check "it said why" grep -q "performing a hard-stop" "$log"
finish
