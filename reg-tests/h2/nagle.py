# SPDX-License-Identifier: BSD-2-Clause
"""Run by nagle.sh: a server of HTTP/2 with Nagle's algorithm on sends head and body one by one."""

import socket
import struct
import time

from frames import (ACK, DATA, END_HEADERS, END_STREAM, HEADERS, SETTINGS, arriving, block, frame,
                    settings)
from origin import serve_each
from service import Service, check, connect, finish

HEAD = frame(HEADERS, END_HEADERS, 0, block([(":status", "200"), ("content-length", "9")]))
svc = Service()


def serve(s):
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
    s.sendall(settings())
    for f in arriving(s):
        if f.kind == SETTINGS and not f.flags & ACK:
            s.sendall(frame(SETTINGS, ACK))
        elif f.kind == HEADERS:
            s.sendall(HEAD[:5] + struct.pack(">I", f.stream) + HEAD[9:])
            s.sendall(frame(DATA, END_STREAM, f.stream, b"nine byte"))


serve_each(svc.args.back, serve)
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
