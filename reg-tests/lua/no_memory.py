# SPDX-License-Identifier: BSD-2-Clause
"""What no_memory.sh describes. The allocations of each request are counted by running it with a
number that is never reached, then each of them fails in turn."""

import os
import socket

from countdown import Countdown
from origin import Origin
from service import Service, check, connect, finish, read_all, until

MOST, NEVER = 60, 10 ** 9
PATHS = ("empty", "heads", "tables", "sleep", "look", "socket", "client", "reply", "compile", "map", "dead",
         "fails", "fails_text", "task", "fetch", "convert", "serve", "tcp")
GOOD = {"fails": (200, 0), "fails_text": (200, 0)}
service = Service(lambda p: [p.add_argument("--" + n) for n in ("nth", "tcp")] +
                  [p.add_argument("--" + n, action="store_true") for n in ("each", "random")])
args = service.args
origin = Origin(args.back)
countdown = Countdown(args.nth)


def talk():
    """The same for the service that repeats what comes."""
    with connect(args.tcp) as s:
        try:
            s.sendall(b"abc\ndef")
            s.shutdown(socket.SHUT_WR)
            return 200 if read_all(s) == b"abc\ndef" else 0
        except OSError as e:
            if isinstance(e, TimeoutError):
                raise
            return 0


def get(path):
    """The status; 0: none."""
    if path == "tcp":
        return talk()
    with connect(args.front) as s:
        s.sendall(f"POST /{path} HTTP/1.1\r\nHost: x\r\nX-B: b\r\nContent-Length: 3\r\n\r\nabc".encode())
        try:
            got = read_all(s)
        except ConnectionResetError:
            return 0
    return int(got.split()[1]) if got.startswith(b"HTTP/1.1 ") else 0


def lives():
    os.kill(service.pid, 0)
    with open(f"/proc/{service.pid}/stat") as f:
        return f.read().split()[2] != "Z"


def at_random():
    statuses = {}
    for _ in range(25):
        for path in PATHS:
            status = get(path)
            statuses[status] = statuses.get(status, 0) + 1
    print("        " + str(statuses))
    check("statuses are of errors, or good", set(statuses) <= {200, 400, 403, 500, 502, 503, 504, 0})
    check("some requests are served", statuses.get(200, 0) > 0)
    check("the process lives", lives())


def each():
    for path in PATHS:
        get(path), get(path)
        countdown.set(NEVER)
        status = get(path)
        count = NEVER - countdown.left()
        check(f"{path}: {status}, {count} allocations", status in GOOD.get(path, (200,)))
        step = 1 if args.each else max(1, count // MOST)
        failed = 0
        for n in range(1, count + 1, step):
            countdown.set(n)
            failed += get(path) != 200
            countdown.set(0)
            if not lives():
                break
        check(f"{path}: of {len(range(1, count + 1, step))} requests {failed} failed, and the process lives",
              lives())
        until("the next one is served", lambda: get(path) in GOOD.get(path, (200,)))


at_random() if args.random else each()
finish()
