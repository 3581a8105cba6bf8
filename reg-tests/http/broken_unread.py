# SPDX-License-Identifier: BSD-2-Clause
"""What broken_unread.sh describes."""

import socket
import struct
import time

from service import Service, address, check, finish, until

MOST = 10  # seconds that a client may take its time with what was sent
SENT = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 20000
service = Service()
listener = socket.create_server(address(service.args.back))


def reader():
    """A client whose kernel takes little, and the server that has sent all that it will send."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 256)
    client.settimeout(120)
    client.connect(address(service.args.front))
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    server, _ = listener.accept()
    server.recv(65536)
    server.sendall(SENT)
    return client, server


def sessions():
    return service.stat("fe", "FRONTEND")["scur"]


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def seconds():
    client, server = reader()
    until("the client has begun to read", lambda: client.recv(100))
    begin = time.monotonic()
    server.close()
    reset(client)
    until("its session ends", lambda: sessions() == "0")
    return time.monotonic() - begin


client, server = reader()
server.close()
got = b""
try:
    got = b""
    while piece := client.recv(65536):
        got += piece
except ConnectionResetError:
    pass
check(f"all that came arrives: {len(got)}", got.endswith(SENT[-20000:]))
client.close()
# The machine may stand still for a while: once is proof.
took = min(seconds() for _ in range(3))
check(f"a client that has gone is not waited for: {took:.3f} s", took < MOST / 2)
finish()
