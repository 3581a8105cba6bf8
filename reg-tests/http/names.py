# SPDX-License-Identifier: BSD-2-Clause
"""What names.sh describes: one request to each listener; prints names as the origin and the client
saw them."""

import socket
import sys
import time

from http1 import Reader, reply
from origin import serve
folder = sys.argv[1]


def names(side, head):
    print(side, *[line.split(b":")[0].decode() for line in head.split(b"\r\n") if line.lower().startswith(b"x-")])


def answer(r):
    names("origin", r.head)
    return reply(b"", "X-One: 1", "X-TWO: 2", "X-Three: 3", "X-Four: 4", close=True)


def connect(sock, path):
    for _ in range(3000):
        try:
            return sock.connect(path)
        except OSError:
            time.sleep(0.01)
    sys.exit("nobody listens")


serve(folder + "/origin", answer)
for proxy in "adjusted", "plain":
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(60)
    connect(sock, folder + "/" + proxy)
    sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nx-ONE: 1\r\nx-two: 2\r\nX-Three: 3\r\nx-four: 4\r\n\r\n")
    names("client", Reader(sock).head())
    sock.close()
