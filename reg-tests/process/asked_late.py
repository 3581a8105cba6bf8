# SPDX-License-Identifier: BSD-2-Clause
"""What asked_late.sh describes."""

import os
import signal
import threading
import time

from origin import Origin
from service import Service, check, connect, finish, read_all, until

service = Service("part", "cfg", "second")
pid = service.args.pid


def say(s, command):
    """The answer on a connection that stays, with prompts."""
    s.sendall(command.encode() + b"\n")
    got = b""
    while not got.endswith(b"\n> "):
        piece = s.recv(65536)
        if not piece:
            return ""
        got += piece
    return got.decode()


def open_prompt():
    s = connect(service.args.stats)
    s.sendall(b"prompt\n")
    while not s.recv(4096).endswith(b"> "):
        pass
    return s


def statuses(text):
    lines = [line.split(",") for line in text.splitlines()]
    return {tuple(r[:2]): r[17] for r in lines if len(r) > 17}


def one_process():
    hold = threading.Event()
    origin = Origin(service.args.back, hold)
    waits = connect(service.args.front)
    waits.sendall(b"GET / HTTP/1.0\r\n\r\n")
    until("a request is under way", lambda: origin.now)
    s = open_prompt()
    say(s, "set timeout cli 1h")
    say(s, "shutdown frontend gone")
    os.kill(pid, signal.SIGUSR1)
    until("the process finishes", lambda: "\nStopping: 1\n" in say(s, "show info"))
    got = statuses(say(s, "show stat"))
    check("all rows are shown: %s" % got, got.get(("fe", "FRONTEND")) == "STOP" and
          ("be", "s1") in got and ("be", "BACKEND") in got)
    check("but those of a frontend that was shut down", ("gone", "FRONTEND") not in got)
    hold.set()
    check("the request is answered", read_all(waits).startswith(b"HTTP/1.1 200"))
    check("who asks still can", "\nStopping: 1\n" in say(s, "show info"))
    begin = time.monotonic()
    check("but keeps nobody for ever", s.recv(4096) == b"")
    check("nor is cut off at once", time.monotonic() - begin > 5)


def taken_away():
    with open(service.args.cfg) as f:
        text = f.read()
    with open(service.args.cfg, "w") as f:
        f.write("".join(line + "\n" for line in text.splitlines() if service.args.second not in line))
    old = service.workers()
    for w in old:
        os.kill(w, signal.SIGSTOP)
    s = connect(service.args.second)
    s.sendall(b"show stat\n")
    said = service.parent("reload")
    check("a reload is not kept by a stopped worker", said.startswith("Success=1"))
    for w in old:
        os.kill(w, signal.SIGCONT)
    got = statuses(read_all(s).decode())
    check("who waited is answered: %s" % got, got.get(("fe", "FRONTEND")) == "OPEN")
    until("the old workers leave", lambda: not service.old_workers())


def two_reloads():
    """The parent waits for a worker that was stopped to say that it listens no more."""
    old = service.workers()
    os.kill(old[0], signal.SIGSTOP)
    first, second = connect(service.args.parent), connect(service.args.parent)
    first.sendall(b"reload\n")
    until("new workers serve", lambda: service.old_workers() and len(service.workers()) == 2)
    with open(service.args.cfg, "a") as f:
        f.write("nonsense\n")
    second.sendall(b"reload\n")
    said = read_all(second).decode()
    os.kill(old[0], signal.SIGCONT)
    check("the first hears of success", read_all(first).startswith(b"Success=1"))
    check("the second of its own failure", said.startswith("Success=0") and "nonsense" in said)


{"one": one_process, "away": taken_away, "two": two_reloads}[service.args.part]()
finish()
