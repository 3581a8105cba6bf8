# SPDX-License-Identifier: BSD-2-Clause
"""Run by faulty_servers.sh: a server of frames that goes wrong in every way, and clients of both
protocols that want each request to end."""

import itertools
import os
import random
import socket
import struct
import threading
import time

from frames import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS,
                    HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE,
                    PING, PUSH_PROMISE, SETTINGS, WINDOW_UPDATE, Client, arriving, block, frame,
                    request, rst, settings, window)
from origin import serve_each
from service import Service, check, connect, finish, until

service = Service(lambda p: [p.add_argument("--plain"), p.add_argument("--seconds", type=float),
                             p.add_argument("--seed", type=int)])
args = service.args
# One try: 300 ms to connect, as much before the next, four of them; then 500 ms for the answer. The
# rest is for a machine that has other things to do.
BOUND = 10
rnd = random.Random(args.seed)
ends, lock, good = {}, threading.Lock(), threading.Event()
slow, wrong = [], []
BODY = b"0123456789" * 100


def count(what):
    with lock:
        ends[what] = ends.get(what, 0) + 1


def goaway(last, code):
    return frame(GOAWAY, 0, 0, struct.pack(">II", last, code))


def answer(stream, size):
    head = block([(":status", "200"), ("content-length", str(size))])
    return frame(HEADERS, END_HEADERS, stream, head) + frame(DATA, END_STREAM, stream, BODY[:size])


# ---- the server ----


class Faulty:
    """One connection: it reads frames, and for each request it draws what becomes of it."""

    def __init__(self, sock, seed):
        self.sock, self.rnd = sock, random.Random(seed)
        self.stingy = not good.is_set() and self.rnd.random() < 0.3  # its windows never grow
        self.owed = []  # answers that come late
        self.done = set()

    def odd_settings(self):
        return self.rnd.choice([
            settings((MAX_CONCURRENT_STREAMS, self.rnd.choice([0, 1, 2, 100]))),
            settings((INITIAL_WINDOW_SIZE, self.rnd.choice([0, 1, 100, 65535, 0x7fffffff]))),
            settings((HEADER_TABLE_SIZE, self.rnd.choice([0, 4096, 100000]))),
            settings((MAX_FRAME_SIZE, self.rnd.choice([16384, 16777215])))])

    def oddity(self, stream):
        """What comes for a request, and whether the connection ends behind it."""
        r, size = self.rnd, self.rnd.choice([0, 1, 10, 1000])
        whole = answer(stream, size)
        head = whole[:9 + int.from_bytes(whole[:3], "big")]
        code = r.randrange(14)
        odd = r.randrange(16)
        if odd == 0:
            return rst(stream, code), False
        if odd == 1:
            return head + rst(stream, code), False
        if odd == 2:
            return head + frame(DATA, 0, stream, BODY[:10]) + rst(stream, code), False
        if odd == 3:
            return whole + rst(stream, code), False
        if odd == 4:
            return goaway(r.choice([0, max(0, stream - 2), stream, 0x7fffffff]), code), r.random() < .5
        if odd == 5:
            return whole + goaway(stream, 0), r.random() < .5
        if odd == 6:
            return whole[:r.randrange(len(whole))], True
        if odd == 7:
            return b"", True
        if odd == 8:
            return b"", False
        if odd == 9:
            self.owed.append(whole)
            return self.odd_settings(), False
        if odd == 10:
            return self.odd_settings() + whole, False
        if odd == 11:
            return frame(PING, 0, 0, b"12345678") * 20 + whole, False
        if odd == 12:
            return head + frame(DATA, 0, stream), False  # never goes on
        if odd == 13:
            return r.choice([frame(DATA, 0, stream, b"no head"), frame(HEADERS, END_HEADERS, stream, b"\xff"),
                             frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\0"), r.randbytes(40),
                             window(stream, 0x7fffffff), frame(CONTINUATION, 0, stream, b""),
                             frame(PUSH_PROMISE, END_HEADERS, stream, b"\0\0\0\2")]), False
        if odd == 14:
            return frame(HEADERS, END_HEADERS, stream, block([(":status", "103")])) * 2 + whole, False
        return whole, False

    def send(self, data):
        if self.rnd.random() < .1 and not good.is_set():
            for i in range(len(data)):
                self.sock.sendall(data[i:i + 1])
        else:
            self.sock.sendall(data)

    def request(self, stream):
        if stream in self.done:
            return False
        self.done.add(stream)
        if good.is_set() or self.rnd.random() < .5:
            data, over = answer(stream, self.rnd.choice([0, 1, 10, 1000])), False
        else:
            data, over = self.oddity(stream)
        if self.owed and not over and self.rnd.random() < .5:
            data += self.owed.pop()
        self.send(data)
        return over


    def serve(self):
        first = () if good.is_set() else self.rnd.choice(
            [(), (), (), ((INITIAL_WINDOW_SIZE, 0),), ((INITIAL_WINDOW_SIZE, 1),),
             ((MAX_CONCURRENT_STREAMS, 1),)])
        if not good.is_set() and self.rnd.random() < .05:
            return  # before it has said anything
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send(settings(*first))
        for f in arriving(self.sock):
            kind, flags, stream, size, over = f.kind, f.flags, f.stream, len(f.payload), False
            if kind == SETTINGS and not flags & ACK and self.rnd.random() < .95:
                self.send(frame(SETTINGS, ACK))
            if kind == DATA and size and not self.stingy:
                # Twice as much: what goes byte by byte for ever is no fault, and ends late.
                self.send(window(0, size) + (b"" if flags & END_STREAM else window(stream, 2 * size)))
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                over = self.request(stream)
            elif kind == HEADERS and not good.is_set() and self.rnd.random() < .3:
                over = self.request(stream)  # before the body
            if over:
                return


# ---- clients ----


def h1_request(r):
    """The status; 0: the connection broke behind a head."""
    size = r.choice([None, None, 0, 10, 100000])
    with connect(args.plain) as s:
        s.settimeout(4 * BOUND)
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" if size is None else
                  b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" %
                  size)
        got = b""
        try:
            if size:
                s.sendall(b"u" * size)
            while piece := s.recv(65536):
                got += piece
        except ConnectionError:
            pass
    head, _, body = got.partition(b"\r\n\r\n")
    status = int(head.split()[1]) if head else 0
    length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
              if line.startswith(b"content-length")]
    if status != 200:
        return status
    if not length or body != BODY[:len(body)] or len(body) > length[0]:
        wrong.append(got[:200])
    return 200 if length and len(body) == length[0] else 0


def h2_requests(r):
    c = Client(service.args.front)
    try:
        asked = []
        for _ in range(r.randint(1, 10)):
            size = r.choice([None, None, 0, 10])
            asked.append(c.open(end=True) if size is None else
                         c.open(request(method="POST"), False, frame(DATA, END_STREAM, c.next,
                                                                     b"u" * size)))
        begun, done = time.monotonic(), []
        for stream in asked:
            how = c.ends(stream, 4 * BOUND)
            done.append("none" if how is None else how[0])
            if how and how[0] == 200 and how[1] != BODY[:len(how[1])]:
                wrong.append(how)
        return done, time.monotonic() - begun
    finally:
        c.close()


def alive():
    try:
        os.kill(args.pid, 0)
        return True
    except OSError:
        return False


def ask(number):
    r = random.Random(args.seed * 1000 + number)
    deadline = time.monotonic() + args.seconds
    while time.monotonic() < deadline and alive():
        begun = time.monotonic()
        try:
            if number % 3:
                hows, took = [h1_request(r)], time.monotonic() - begun
            else:
                hows, took = h2_requests(r)
        except OSError as e:
            hows, took = [repr(e)], time.monotonic() - begun
        for how in hows:
            count(how if isinstance(how, str) else str(how))
        if took > BOUND or any(how in (None, "none") or "timed out" in str(how) for how in hows):
            slow.append((number, round(took, 1), hows))
        with lock:
            ends["longest"] = max(ends.get("longest", 0), round(took, 2))


seeds = itertools.count(args.seed + 1)
serve_each(args.back, lambda s: Faulty(s, next(seeds)).serve())
until("the server is there", lambda: connect(args.back).close() or True)
clients = [threading.Thread(target=ask, args=(i,)) for i in range(12)]
for t in clients:
    t.start()
for t in clients:
    t.join()
check(f"each request ended within {BOUND} s: {slow[:5]}, {dict(sorted(ends.items(), key=str))}", not slow)
check(f"no answer is wrong: {wrong[:3]}", not wrong)
check("some were answered, some were not", ends.get("200", 0) > 50 and len(ends) > 3)
check("the program lives", alive())
if not alive():
    finish()
good.set()
until("the server has become a good one", lambda: h1_request(random.Random(1)) == 200 and all(
    h1_request(random.Random(i)) == 200 for i in range(20)))
until("nothing is left", lambda: int(service.info()["CurrConns"]) == 0 and
      service.stat("be", "s1")["scur"] == "0" and service.stat("be", "s1")["qcur"] == "0")
finish()
