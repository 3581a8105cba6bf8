# SPDX-License-Identifier: BSD-2-Clause
"""What old_workers.sh describes."""

import threading

from http1 import Reader, request
from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

service = Service("other")
origin = Origin(service.args.back)


def ask(s, path="/"):
    """One answer on a connection that stays: its head."""
    s.sendall(request(path))
    got = Reader(s).message()
    return (got[0] + b"\r\n").decode().lower() if got and got[1] == b"hello" else ""


def reload():
    check("a reload", service.parent("reload").startswith("Success=1"))


idle, short = connect(service.args.front), connect(service.args.other)
check("connections are kept", all("connection: close" not in ask(s) for s in (idle, short)))
hold = origin.hold = threading.Event()
held = connect(service.args.front)
held.sendall(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
until("a request is under way", lambda: "/held" in origin.arrived)
origin.hold = None
first = service.workers()
reload()
check("the first worker is an old one", service.old_workers() == first)
last = ask(idle)
check("an idle connection gets an answer", last.startswith("http/1.1 200"))
check("with connection: close", "\r\nconnection: close\r\n" in last)
check("and ends", idle.recv(4096) == b"")
check("or ends at its timeout, without one", read_all(short) == b"")
reload()
check("it survives two reloads", first[0] in service.old_workers())
reload()
until("the third one ends it", lambda: not service.old_workers())
held.settimeout(PATIENCE)
try:
    check("with what it had", not held.recv(4096).startswith(b"HTTP/1.1 200"))
except ConnectionError:
    check("with what it had", True)
hold.set()
check("the new one serves", service.get() == 200)
finish()
