# SPDX-License-Identifier: BSD-2-Clause
"""What broken_unread.sh describes."""

import socket
import time

from http1 import request
from service import Service, address, check, finish, until
from sockets import narrow, reset

MOST = 10  # seconds that a client may take its time with what was sent
SENT = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 20000
service = Service()
listener = socket.create_server(address(service.args.back))


def reader():
    """A client whose kernel takes little, and the server that has sent all that it will send."""
    client = narrow(service.args.front, 256)
    client.sendall(request())
    server, _ = listener.accept()
    server.recv(65536)
    server.sendall(SENT)
    return client, server


def sessions():
    return service.stat("fe", "FRONTEND")["scur"]


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
