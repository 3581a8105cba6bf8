# SPDX-License-Identifier: BSD-2-Clause
"""The clients of short_interim.sh."""

import socket
import sys

front, back = map(int, sys.argv[1:])
listener = socket.create_server(("127.0.0.1", back))
listener.settimeout(50)
bad = 0


def read_head(s):
    head = b""
    while not head.endswith(b"\r\n\r\n") and (got := s.recv(1)):
        head += got
    return head


for path, status in (b"/server", b" 100 "), (b"/own", b" 100 "), (b"/hint", b" 103 "):
    client = socket.create_connection(("127.0.0.1", front))
    client.settimeout(50)
    client.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                   b"Content-Length: 5\r\nConnection: close\r\n\r\n")
    if path == b"/server":
        server, _ = listener.accept()
        read_head(server)
        server.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    try:
        head = read_head(client)
    except OSError as e:
        head = str(e).encode()
    bad += status not in head
    print("       ", path.decode(), head)
    client.sendall(b"12345")
    if path != b"/server":
        server, _ = listener.accept()
        read_head(server)
    got = b""
    while len(got) < 5:
        got += server.recv(5)
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    while data := client.recv(100):
        head += data
    bad += not head.endswith(b"\r\n\r\nok")
    server.close()
sys.exit(bad)
