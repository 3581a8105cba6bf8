# SPDX-License-Identifier: BSD-2-Clause
"""What the tests early_*.py share (early.sh): an origin, its own check and until, which end the
test."""

import subprocess
import sys
import time

import early
from origin import serve

origin, folder, tool, stats = sys.argv[1:5]
addresses = sys.argv[5:]
seen = []  # first lines of the requests that the origin got


def check(what, good, more=""):
    print(("ok      " if good else "FAILED  ") + what, *([] if good else [more]), flush=True)
    if not good:
        sys.exit(1)


def get(path, fields=b""):
    return b"GET " + path.encode() + b" HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n"


def answer(head, body):
    """What was asked, or 425 where it was early."""
    seen.append(head.split(b"\r\n")[0])
    if b"/slow" in seen[-1]:
        time.sleep(early.PATIENCE)
    if b"/425" in seen[-1] and b"early-data" in head.lower():
        return b"HTTP/1.1 425 Too Early\r\nContent-Length: 0\r\n\r\n"
    said = head + b"\r\n" + body
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said


serve(origin, lambda r: answer(r.head, r.body))


def before_finished(to, data, **more):
    """A client that sends data early and has not finished: (client, first response)."""
    session, said = early.session(to, get("/first"), **more)
    c = early.Client(to, session, **more)
    c.early(data)
    c.handshake(send=False)
    check("early data are taken", c.accepted())
    return c, c.response()


def late(to, data):
    c = early.Client(to)
    c.handshake()
    c.write(data)
    return c


def ask(command):
    return subprocess.run([tool, "-s", stats, "ask", command], capture_output=True, text=True).stdout


def info(name):
    return int([l.split(":")[1] for l in ask("show info").split("\n") if l.startswith(name + ":")][0])


def column(proxy, row, name):
    names, *rows = [l.split(",") for l in ask("show stat").split("\n") if l]
    return [r for r in rows if r[:2] == [proxy, row]][0][names.index(name)]


def until(what, condition):
    end = time.monotonic() + early.PATIENCE
    while not condition():
        if time.monotonic() > end:
            check(what, False)
        time.sleep(0.02)
    check(what, True)
