# SPDX-License-Identifier: BSD-2-Clause
"""What server_faults.sh describes."""

import socket
import ssl
import struct
import sys
import threading

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
kept = []


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
    kept.append(c)


def never(c):
    kept.append(c)


def resets(c):
    c.recv(65536)
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()


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
    host, port = at.split(":")
    listener = socket.create_server((host, int(port)))

    def serve(listener=listener, what=globals()[name]):
        while True:
            c, _ = listener.accept()
            threading.Thread(target=lambda: what(c), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
