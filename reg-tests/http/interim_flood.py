# SPDX-License-Identifier: BSD-2-Clause
"""What interim_flood.sh describes."""

import os
import signal
import socket
import sys

from processes import stop

front, back, pid = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
listener = socket.create_server(("127.0.0.1", back))
HINTS = b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000
FINAL = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def ask(sock, path):
    sock.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path)


def take(sock, end):
    got = b""
    while not got.endswith(end):
        piece = sock.recv(65536)
        if not piece:
            sys.exit("the connection was closed")
        got += piece
    return got


other = socket.create_connection(("127.0.0.1", front))
ask(other, b"/other")
take(other, b"\r\n\r\n")
flooded = socket.create_connection(("127.0.0.1", front))
ask(flooded, b"/flooded")
server = listener.accept()[0]
take(server, b"\r\n\r\n")
stop(pid)
server.sendall(HINTS + FINAL)
ask(other, b"/other/late")
os.kill(pid, signal.SIGCONT)
take(other, b"\r\n\r\n")
got = take(flooded, b"\r\n\r\nok")
sys.exit(got != HINTS + FINAL and f"{got.count(b'103')} of 1000 came")
