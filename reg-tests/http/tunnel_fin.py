# SPDX-License-Identifier: BSD-2-Clause
"""What tunnel_fin.sh describes."""

import socket
import sys

front, back = map(int, sys.argv[1:])
listener = socket.create_server(("127.0.0.1", back))
listener.settimeout(50)
for first in "server", "client":
    client = socket.create_connection(("127.0.0.1", front))
    client.settimeout(50)
    client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
    server, _ = listener.accept()
    server.settimeout(50)
    server.recv(1000)
    server.sendall(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
    client.recv(1000)
    client.sendall(b"x")
    server.recv(1)
    closing, other = (server, client) if first == "server" else (client, server)
    closing.shutdown(socket.SHUT_WR)
    other.recv(1)
    print("        closed by the", first)
    try:
        if closing.recv(1):
            sys.exit(1)
    except ConnectionError:
        pass
