# SPDX-License-Identifier: BSD-2-Clause
"""Run by long_path.sh: times of an upload and a download through a relay that delays bytes."""

import queue
import select
import socket
import struct
import threading
import time

from frames import (DATA, END_STREAM, INITIAL_WINDOW_SIZE, WINDOW_UPDATE, Client, frame, request,
                    settings, window)
from http1 import reply
from origin import serve, serve_each
from service import Service, check, connect, finish

DELAY = 0.05  # seconds, each way
svc = Service(lambda p: (p.add_argument("--tcp"), p.add_argument("--megabytes", type=int),
                         p.add_argument("--rate", type=int)))
done = threading.Event()  # the pieces that are on their way keep their sockets
SIZE, RATE = svc.args.megabytes << 20, svc.args.rate << 20  # bytes, bytes a second


def pass_on(source, target):
    """What comes is said DELAY later, and not faster than RATE."""
    pieces = queue.Queue()

    def say():
        while True:
            due, piece = pieces.get()
            time.sleep(max(0, due - time.monotonic()))
            try:
                if piece:
                    target.sendall(piece)
                else:
                    target.shutdown(socket.SHUT_WR)
                    return
            except OSError:
                return

    threading.Thread(target=say, daemon=True).start()
    free = 0
    piece = b"x"
    while piece:
        try:
            piece = source.recv(65536)
        except OSError:
            piece = b""
        free = max(free, time.monotonic()) + len(piece) / RATE
        pieces.put((free + DELAY, piece))


def relay(to):
    """The address of a path to it."""
    def both(near):
        far = connect(to)
        for s in near, far:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=pass_on, args=(far, near), daemon=True).start()
        pass_on(near, far)
        done.wait()

    listener = serve_each("127.0.0.1:0", both)
    return "127.0.0.1:%d" % listener.getsockname()[1]


def answer(r):
    if r.method == "POST":
        return reply(close=True)
    r.s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % SIZE)
    r.s.sendall(bytes(SIZE))
    return None


def tcp(path, upload):
    s = connect(path)
    s.sendall(b"%s / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" %
              (b"POST" if upload else b"GET", SIZE if upload else 0))
    if upload:
        s.sendall(bytes(SIZE))
    got = 0
    while piece := s.recv(1 << 20):
        got += len(piece)
    return got > (0 if upload else SIZE)


def h2_upload(path):
    c = Client(path)
    head = request(method="POST", extra=[("content-length", str(SIZE))])
    stream, sent = c.open(head, False), 0
    room, used = {0: 65535, stream: 65535}, 0
    while sent < SIZE:
        n = min(SIZE - sent, min(room.values()), 16384)
        if n:
            c.send(frame(DATA, END_STREAM if sent + n == SIZE else 0, stream, bytes(n)))
            sent += n
            for i in room:
                room[i] -= n
        else:
            c.receive()
        while select.select([c.sock], [], [], 0)[0] and c.receive(0):
            pass
        for f in c.seen[used:]:
            if f.kind == WINDOW_UPDATE:
                room[f.stream] += struct.unpack(">I", f.payload)[0]
        used = len(c.seen)
    return c.ends(stream) == (200, b"")


def h2_download(path):
    c = Client(path, settings((INITIAL_WINDOW_SIZE, SIZE)) + window(0, SIZE))
    return len(c.ends(c.open())[1]) == SIZE


def took(what, act, *words):
    begun = time.monotonic()
    check(what, act(*words))
    return time.monotonic() - begun


serve(svc.args.back, answer)
h2_path, tcp_path = relay(svc.args.front), relay(svc.args.tcp)
for what, ours, upload in ("upload", h2_upload, True), ("download", h2_download, False):
    theirs = took(f"{what}, mode tcp", tcp, tcp_path, upload)
    own = took(f"{what}, HTTP/2", ours, h2_path)
    check(f"{what} of {SIZE >> 20} MB: {own:.2f} s, mode tcp {theirs:.2f} s", own < 2.5 * theirs)
finish()
