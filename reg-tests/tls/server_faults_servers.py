# SPDX-License-Identifier: BSD-2-Clause
"""What server_faults.sh describes."""

import socket
import ssl
import sys
import threading

from origin import serve_each
from sockets import reset, server_with

context = server_with(sys.argv[1])
answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
over = threading.Event()


def closes(c):
    c.close()


def hears(c):
    c.recv(65536)
    c.close()


def alert(c):
    c.recv(65536)
    c.sendall(bytes([21, 3, 3, 0, 2, 2, 40]))
    c.close()


def text(c):
    c.recv(65536)
    c.sendall(answer % 0)
    over.wait()


def never(c):
    over.wait()


def resets(c):
    c.recv(65536)
    reset(c)


def trickles(c):
    """TLS over two memories: what is to be sent goes out byte by byte."""
    inside, outside = ssl.MemoryBIO(), ssl.MemoryBIO()
    s = context.wrap_bio(inside, outside, server_side=True)
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def flush():
        for byte in outside.read():
            c.sendall(bytes([byte]))

    def call(what, *args):
        while True:
            try:
                return what(*args)
            except ssl.SSLWantReadError:
                flush()
                data = c.recv(65536)
                if not data:
                    return b""
                inside.write(data)
            finally:
                flush()

    call(s.do_handshake)
    while call(s.read, 65536):
        call(s.write, answer % 5 + b"hello")


for spec in sys.argv[2:]:
    name, at = spec.split("=")
    serve_each(at, globals()[name])
print("ready", flush=True)
over.wait()
