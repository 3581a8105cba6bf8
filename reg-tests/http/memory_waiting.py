# SPDX-License-Identifier: BSD-2-Clause
"""What memory_waiting.sh describes."""

import sys

from http1 import Reader
from service import Service, check, connect, finish, until

case = sys.argv.pop(1)
service = Service()
COUNT = 1500


def used():
    with open(f"/proc/{service.pid}/smaps_rollup") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Anonymous:"))


def cost(name, sent, most):
    service.get()
    before = used()
    held = [connect(service.args.front) for _ in range(COUNT)]
    for s in held:
        s.sendall(sent)
    until("all are there", lambda: sessions() >= COUNT)
    full = used()
    each = (full - before) / COUNT
    check("%s: %.2f kB, at most %s" % (name, each, most), each < most)
    for s in held:
        s.close()
    until("all are gone", lambda: int(service.info()["CurrConns"]) <= 1)


def sessions():
    return service.ask("show sess").count("fe=fe")


def answer(pieces):
    with connect(service.args.front) as s:
        for piece in pieces:
            s.sendall(piece)
        r = Reader(s)
        return (r.head() + b"\r\n" + r.held).decode()


def heads():
    for count in (1, 15, 16, 17, 40, 98):
        head = b"GET /p HTTP/1.1\r\nHost: y\r\n" + b"X: 1\r\n" * count + b"Last: end\r\n\r\n"
        want = "got: %d end /p" % count
        check("%d fields at once" % count, want in answer([head]))
        check("%d fields byte by byte" % count, want in answer(head[i:i + 1] for i in range(len(head))))
    head = b"GET /p HTTP/1.1\r\nHost: y\r\n" + b"X: 1\r\n" * 100 + b"Last: end\r\n\r\n"
    check("too many fields", answer([head]).startswith("HTTP/1.1 400"))


if case == "half":
    cost("half a head of 50 bytes", b"GET / HTTP/1.1\r\nHost: www.example.org\r\nX-Some: abcd", 4.5)
elif case == "long":
    cost("half a head of 400 bytes", b"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + b"c" * 360, 4.5)
elif case == "body":
    cost("a body", b"POST / HTTP/1.1\r\nHost: www.example.org\r\nContent-Length: 1000\r\n\r\nbody", 8.5)
else:
    heads()
finish()
