# SPDX-License-Identifier: BSD-2-Clause
"""What observe_workers.sh describes."""

import re

from http1 import reply
from origin import serve_each
from service import Service, check, connect, finish, read_all, until

LIMIT = 20

service = Service()
met = set()  # workers that have passed an answer on


def answer(s):
    bad = b"/bad" in s.recv(65536)
    s.sendall(reply(b"hello", status=500 if bad else 200, close=True))


def ask(path):
    """The status, over a connection of its own: of either worker."""
    with connect(service.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        got = read_all(s).decode()
    met.update(re.findall(r"(?i)x-pid: (\d+)", got))
    return int(got.split()[1])


def seen():
    return service.stat("be", "s")["hanafail"]


serve_each(service.args.back, answer)
until("the workers serve", lambda: len(service.workers()) == 2)
check("errors below the limit", {ask("/bad") for _ in range(LIMIT - 1)} == {500})
check("and a good answer, of either worker", ask("/good") == 200)
check("begin a new row", {ask("/bad") for _ in range(LIMIT - 1)} == {500})
check("which is not full yet", service.stat("be", "s")["status"].startswith("UP") and seen() == "0")
check("both workers have met some", len(met) == 2)
check("the last one", ask("/bad") == 500)
until("takes the server down", lambda: service.stat("be", "s")["status"] == "DOWN")
check("in one report", seen() == "1")
check("for all", {ask("/good") for _ in range(10)} == {503})
finish()
