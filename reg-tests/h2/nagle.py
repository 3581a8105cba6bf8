# SPDX-License-Identifier: BSD-2-Clause
"""Run by nagle.sh: a server of HTTP/2 with Nagle's algorithm on sends head and body one by one."""

import socket
import struct
import threading
import time

from frames import ACK, DATA, END_HEADERS, END_STREAM, HEADERS, SETTINGS, block, frame, settings
from service import Service, address, check, connect, finish

HEAD = frame(HEADERS, END_HEADERS, 0, block([(":status", "200"), ("content-length", "9")]))
svc = Service()


def serve(s):
    rest, begun = b"", False
    s.sendall(settings())
    while got := s.recv(65536):
        rest += got
        if not begun and len(rest) < 24:
            continue
        if not begun:
            rest, begun = rest[24:], True
        while len(rest) >= 9 and len(rest) >= 9 + (n := int.from_bytes(rest[:3], "big")):
            kind, flags, stream = rest[3], rest[4], int.from_bytes(rest[5:9], "big")
            rest = rest[9 + n:]
            if kind == SETTINGS and not flags & ACK:
                s.sendall(frame(SETTINGS, ACK))
            elif kind == HEADERS:
                s.sendall(HEAD[:5] + struct.pack(">I", stream) + HEAD[9:])
                s.sendall(frame(DATA, END_STREAM, stream, b"nine byte"))


def listen():
    while True:
        s, _ = listener.accept()
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
        threading.Thread(target=serve, args=(s,), daemon=True).start()


listener = socket.create_server(address(svc.args.back))
threading.Thread(target=listen, daemon=True).start()
client, times = connect(svc.args.front), []
for _ in range(60):
    begun = time.monotonic()
    client.sendall(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    answer = b""
    while not answer.endswith(b"nine byte"):
        answer += client.recv(4096)
    times.append((time.monotonic() - begun) * 1000)
usual = sorted(times[20:])[20]  # what is new is acknowledged at once by the kernel
check("the body does not wait for the kernel's late acknowledgement of the head: %.1f ms" % usual, usual < 25)
finish()
