#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
pipes.py FRONT BACK PID STATS: what went wrong for others when bodies of HTTP went through pipes
(doc/internals/datapath.md), each as a test: client and origin at once around the program at FRONT,
whose server we are at BACK. Waits have deadlines of 20 s and no sleeps; a claim about delay is made
by answering only what has arrived. Prints a line for each claim; exits with 1 when one does not
hold.
"""

import hashlib
import os
import signal
import socket
import sys
import threading
import time

from service import ask
from sockets import reset

FRONT, BACK = (tuple([a.rsplit(":", 1)[0], int(a.rsplit(":", 1)[1])]) for a in sys.argv[1:3])
PID, STATS = int(sys.argv[3]), sys.argv[4]
BIG = hashlib.sha512(b"penstock").digest() * 65536  # 4 MiB; every place of it is its own
failures = 0


def check(what, holds, more=""):
    global failures
    failures += not holds
    print(f"{'ok     ' if holds else 'FAILED '} {what} {'' if holds else more}")


class Peer:
    """A socket with a buffer."""

    def __init__(self, sock):
        self.sock, self.buf = sock, b""
        sock.settimeout(20)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        self.sock.sendall(data)

    def more(self):
        piece = self.sock.recv(65536)
        self.buf += piece
        return piece

    def until(self, mark):
        while mark not in self.buf:
            if not self.more():
                raise EOFError(self.buf[:200])
        i = self.buf.index(mark) + len(mark)
        got, self.buf = self.buf[:i], self.buf[i:]
        return got

    def exactly(self, n):
        parts, left = [self.buf[:n]], n - len(self.buf)
        self.buf = self.buf[n:]
        while left > 0:
            piece = self.sock.recv(min(left, 1 << 20))
            if not piece:
                raise EOFError(f"{left} bytes are missing")
            parts.append(piece)
            left -= len(piece)
        return b"".join(parts)

    def chunks(self):
        out = []
        while n := int(self.until(b"\r\n").split(b";")[0], 16):
            out.append(self.exactly(n))
            if self.exactly(2) != b"\r\n":
                raise ValueError("no line behind a chunk")
        trailers = self.until(b"\r\n")
        while not trailers.endswith(b"\r\n\r\n") and trailers != b"\r\n":
            trailers += self.until(b"\r\n")
        return b"".join(out), trailers

    def reset(self):
        reset(self.sock)


def client(rcvbuf=0):
    sock = socket.socket()
    if rcvbuf:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
    sock.connect(FRONT)
    return Peer(sock)


def get(path, extra="", version="1.1", method="GET"):
    return f"{method} {path} HTTP/{version}\r\nHost: a\r\n{extra}\r\n".encode()


def length(body, extra=""):
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body


def chunked(body, size, trailer=b""):
    out = [b"%x;a=b\r\n%s\r\n" % (len(body[i:i + size]), body[i:i + size])
           for i in range(0, len(body), size)]
    return b"".join(out) + b"0\r\n" + trailer + b"\r\n"


# ---- the origin: a thread a connection; the path says what to do ----


event_seen = threading.Event()  # the client has got the last event
blocked = threading.Event()     # nothing more goes to a client that does not read


def origin(peer):
    try:
        while True:
            head = peer.until(b"\r\n\r\n")
            if not answer(peer, head, head.split(b" ")[1].decode()):
                break
    except (OSError, EOFError):
        pass
    peer.sock.close()


def answer(peer, head, path):
    if path == "/echo-chunked":
        body, trailers = peer.chunks()
        peer.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 100000, trailers[:-2]))
    elif path == "/excess":
        peer.send(length(BIG[:100000]) + b"HTTP/1.1 200 Wrong\r\nContent-Length: 5\r\n\r\nWRONG")
    elif path == "/body-all-the-same":
        status = b"204 No Content" if b"X-Want: 204" in head else b"304 Not Modified" if b"X-Want: 304" in head else b"200 OK"
        peer.send(b"HTTP/1.1 " + status + b"\r\n" +
                  (b"" if b" 204 " in b" " + status else b"Content-Length: 50000\r\n") + b"\r\n" + b"Z" * 50000)
    elif path.startswith("/range/"):
        a, b = (int(n) for n in path[7:].split("-"))
        peer.send(b"HTTP/1.1 206 Partial\r\nContent-Range: bytes %d-%d/%d\r\nContent-Length: %d\r\n\r\n" % (
            a, b - 1, len(BIG), b - a) + BIG[a:b])
    elif path == "/pingpong":
        n = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        peer.send(length(peer.exactly(n)))
    elif path.startswith("/events/"):
        return events(peer, path[8:])
    elif path == "/blocked":
        block(peer)
    elif path.startswith("/late/"):
        return late_end(peer, path[6:])
    elif path == "/to-the-close":
        peer.send(b"HTTP/1.1 200 OK\r\n\r\n" + BIG)
        return False
    else:
        peer.send(length(b"hello"))
    return True


def events(peer, kind):
    head = {"chunked": b"Transfer-Encoding: chunked\r\n", "length": b"Content-Length: 2000000\r\n",
            "close": b""}[kind]
    peer.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + head + b"\r\n")
    sent = 0
    for n in range(20):
        # now and then a large piece, so that splicing has begun when the small ones come
        data = b"data: %d\n\n" % n + (BIG[:60000] if n in (5, 6, 7) else b"")
        event_seen.clear()
        peer.send(b"%x\r\n%s\r\n" % (len(data), data) if kind == "chunked" else data)
        sent += len(data)
        if not event_seen.wait(20):
            return False
    if kind == "chunked":
        peer.send(b"0\r\n\r\n")
    if kind == "length":
        peer.send(b"." * (2000000 - sent))
    return kind != "close"


def late_end(peer, kind):
    head = {"chunked": b"Transfer-Encoding: chunked\r\n", "close": b""}[kind]
    body, end = {"chunked": (b"4e20\r\n%s\r\n" % BIG[:20000], b"0\r\n\r\n"), "close": (BIG[:20000], b"")}[kind]
    event_seen.clear()
    peer.send(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + body)
    event_seen.wait(20)
    peer.send(end)
    return kind != "close"


def block(peer):
    peer.sock.settimeout(0.3)
    sent = 0
    while sent < len(HUGE):
        try:
            sent += peer.sock.send(HUGE[sent:sent + 200000])
        except (socket.timeout, BlockingIOError):
            blocked.set()
            peer.sock.settimeout(20)
    peer.sock.settimeout(20)


def serve():
    listener = socket.create_server(BACK, backlog=64)
    while True:
        sock, _ = listener.accept()
        threading.Thread(target=origin, args=(Peer(sock),), daemon=True).start()


HUGE = length(BIG * 16)


# ---- the tests ----


def read_length(c, n):
    c.until(b"\r\n\r\n")
    return c.exactly(n)


def test_chunked_both_ways():
    c = client()
    body = BIG[:1500000]
    sender = threading.Thread(target=lambda: c.send(
        get("/echo-chunked", "Transfer-Encoding: chunked\r\n", method="POST") +
        chunked(body, 70000, b"X-Sum: 1\r\n")))
    sender.start()
    c.until(b"\r\n\r\n")
    got, trailers = c.chunks()
    sender.join()
    check("chunked bodies both ways", got == body and b"x-sum: 1" in trailers.lower(), trailers)
    c.send(get("/"))
    check("a request behind them", read_length(c, 5) == b"hello")


def test_never_past_the_length():
    c = client()
    good = True
    for _ in range(5):
        c.send(get("/excess"))
        good = good and read_length(c, 100000) == BIG[:100000]
    c.send(get("/"))
    good = good and read_length(c, 5) == b"hello" and not c.buf
    check("nothing beyond Content-Length reaches anybody", good, c.buf[:100])


def test_bodies_that_must_not_be():
    for method, extra in (("HEAD", ""), ("GET", "X-Want: 204\r\n"), ("GET", "X-Want: 304\r\n")):
        c = client()
        c.send(get("/body-all-the-same", extra, method=method))
        c.until(b"\r\n\r\n")
        c.send(get("/"))
        check(f"no body behind {extra.strip() or method}", c.until(b"\r\n\r\n").startswith(b"HTTP/1.1 200") and
              c.exactly(5) == b"hello")


def test_ranges():
    c, places = client(), [(i * 70001 % 3000000, 1 + i * 37991 % 200000) for i in range(50)]
    good = True
    for i in range(0, 50, 5):
        c.send(b"".join(get(f"/range/{a}-{a + n}") for a, n in places[i:i + 5]))
        for a, n in places[i:i + 5]:
            good = good and read_length(c, n) == BIG[a:a + n]
    check("ranges, pipelined over one connection", good)


def test_no_stall():
    c, took = client(), []
    for size in [20000, 1, 40000, 17000] * 8:
        began = time.monotonic()
        c.send(get("/pingpong", f"Content-Length: {size}\r\n", method="POST") + BIG[:size])
        if read_length(c, size) != BIG[:size]:
            check("exchanges of middling size", False)
            return
        took.append(time.monotonic() - began)
    # The 200 ms that the kernel holds back what MORE was said of would be in every one of them
    for i, size in enumerate((20000, 1, 40000, 17000)):
        check(f"no timer in exchanges of {size} bytes", min(took[i::4]) < 0.15, f"{min(took[i::4]):.3f} s")


def test_events():
    for kind in "chunked", "length", "close":
        c = client()
        c.send(get(f"/events/{kind}"))
        c.until(b"\r\n\r\n")
        try:
            for n in range(20):
                c.until(b"data: %d\n\n" % n)
                event_seen.set()
            check(f"each event arrives before the next is sent ({kind})", True)
        except (OSError, EOFError) as e:
            check(f"each event arrives before the next is sent ({kind})", False, repr(e))
        c.sock.close()


def test_late_ends():
    for kind in "chunked", "close":
        took = []
        for _ in range(8):
            c = client()
            c.send(get(f"/late/{kind}", version="1.1" if kind == "chunked" else "1.0"))
            c.until(b"\r\n\r\n")
            c.exactly(20000 + (6 if kind == "chunked" else 0))
            began = time.monotonic()
            event_seen.set()
            c.until(b"0\r\n\r\n") if kind == "chunked" else c.sock.recv(1)
            took.append(time.monotonic() - began)
        check(f"no timer in an end that comes late ({kind})", min(took) < 0.15, f"{min(took):.3f} s")


def test_large_beside_slow():
    slow = []
    for _ in range(8):
        blocked.clear()
        c = client(65536)
        c.send(get("/blocked"))
        if not blocked.wait(20):
            break
        slow.append(c)
    check("eight clients that do not read", len(slow) == 8)
    c = client()
    c.send(get(f"/range/0-{len(BIG)}") * 16)
    whole = all(read_length(c, len(BIG)) == BIG for _ in range(16))
    check("a large transfer beside them is not held back", whole)
    for c in slow:
        c.reset()


def bytes_out():
    return int(next(line for line in ask(STATS, "show stat fe 1 -1").splitlines() if line.startswith("fe,")).split(",")[9])


def test_counted_is_sent():
    before = bytes_out()
    blocked.clear()
    c = client(65536)
    c.send(get("/blocked"))
    blocked.wait(20)
    counted = bytes_out() - before
    os.kill(PID, signal.SIGSTOP)  # now nothing more can be sent
    got = 0
    try:
        while got < counted:
            got += len(c.sock.recv(min(1 << 20, counted - got)))
    except OSError:
        pass
    os.kill(PID, signal.SIGCONT)
    check("bytes that were counted have been sent", 0 < counted == got, (counted, got))
    c.reset()


def test_blocked():
    blocked.clear()
    c = client(65536)
    c.send(get("/blocked"))
    check("the path to a client that does not read is full", blocked.wait(20))
    got = read_length(c, 16 * len(BIG))
    check("all arrives when it reads", got == BIG * 16)
    c.send(get("/"))
    check("its connection is kept", read_length(c, 5) == b"hello")


def test_to_the_close():
    c = client(32768)
    c.send(get("/to-the-close", version="1.0"))
    c.until(b"\r\n\r\n")
    parts = [c.buf]
    while piece := c.sock.recv(3000):
        parts.append(piece)
    check("a slow reader gets all that came before FIN", b"".join(parts) == BIG, sum(map(len, parts)))


def cpu():
    with open(f"/proc/{PID}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0])


def test_quiet():
    held = [client() for _ in range(5)]
    for c in held:
        c.send(get("/range/0-300000"))
        read_length(c, 300000)
    for c in held[:2]:
        c.sock.shutdown(socket.SHUT_WR)
    blocked.clear()
    stuck = client(65536)
    stuck.send(get("/blocked"))
    blocked.wait(20)
    shares = []
    for _ in range(3):
        before, began = cpu(), time.monotonic()
        time.sleep(1)
        shares.append((cpu() - before) / 1e9 / (time.monotonic() - began))
        if shares[-1] < 0.02:
            break
    check("idle, half-closed and blocked connections use no CPU", min(shares) < 0.02, shares)
    stuck.reset()


def test_client_breaks():
    for i in range(20):
        c = client()
        c.send(get("/range/0-4000000"))
        c.until(b"\r\n\r\n")
        c.exactly(1 + i * 10000)
        c.reset()
    c = client()
    c.send(get("/"))
    check("a request after twenty that were broken off", read_length(c, 5) == b"hello")


threading.Thread(target=serve, daemon=True).start()
for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            test()
        except (OSError, EOFError, ValueError) as error:
            check(name, False, repr(error))
sys.stdout.flush()
os._exit(1 if failures else 0)
