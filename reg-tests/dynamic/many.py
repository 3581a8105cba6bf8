# SPDX-License-Identifier: BSD-2-Clause
"""
Servers are added, used and deleted in turns, some hundred at a time. Run by many.sh.
"""

import os
import threading
import time

from origin import Origin
from processes import descriptors, memory
from service import PATIENCE, Service, check, connect, finish, until

SERVERS = int(os.environ.get("SERVERS", 600))
AT_ONCE = 300
WORKERS = 4
service = Service()
origin = Origin(service.args.back)
stop = threading.Event()
counts = {"good": 0, "bad": 0}


def many(lines):
    """Commands over one conversation, each with its answer."""
    with connect(service.args.stats) as s:
        s.sendall(("prompt\n" + "\n".join(lines) + "\nquit\n").encode())
        got = b""
        while piece := s.recv(65536):
            got += piece
    return got.decode()


def processes():
    return [service.pid] + service.workers()


def slots():
    return int(service.ask("debug dev slots").split()[1])


def left():
    return sum(int(service.worker(n, "debug dev slots").split()[-1])
               for n in range(1, WORKERS + 1))


def turn(begin, end):
    names = [f"be/n{n}" for n in range(begin, end)]
    added = many([f"add server {name} {service.args.back} check inter 1h; enable server {name}"
                  for name in names])
    check(f"{len(names)} are added", added.count("New server registered.") == len(names))
    many([f"disable server {name}" for name in names])
    rest, deadline = names, time.monotonic() + PATIENCE
    while rest and time.monotonic() < deadline:
        answers = many([f"del server {name}" for name in rest]).split("\n\n")
        rest = [name for name, answer in zip(rest, answers) if "Server deleted." not in answer]
    check("and deleted", not rest)


until("four workers serve", lambda: len(service.workers()) == WORKERS)
threads = [threading.Thread(target=service.keep_asking, args=(counts, stop), daemon=True) for _ in range(4)]
for t in threads:
    t.start()
at, pids = slots(), processes()
turn(0, AT_ONCE)
until("no slot is left behind", lambda: slots() == at and left() == 0)
before = [(memory(pid, "RssAnon"), descriptors(pid)) for pid in pids]
begun = time.monotonic()
for n in range(AT_ONCE, SERVERS, AT_ONCE):
    turn(n, n + AT_ONCE)
took = time.monotonic() - begun
until("no slot is left behind", lambda: slots() == at and left() == 0)
after = [(memory(pid, "RssAnon"), descriptors(pid)) for pid in pids]
print(f"        {SERVERS - AT_ONCE} servers in {took:.1f} s; memory (kB) and descriptors {before}, then {after}")
check("the same processes serve", processes() == pids)
# A sanitizer keeps what was freed.
check("their memory has not grown by more than 1 MB", "SANITIZED" in os.environ or all(b[0] <= a[0] + 1024 for a, b in zip(before, after)))
check("nor do they have more descriptors", all(b[1] <= a[1] + 8 for a, b in zip(before, after)))
stop.set()
for t in threads:
    t.join(PATIENCE)
check(f"no request has failed: {counts}", counts["bad"] == 0 and counts["good"] > 0)
check("the shared memory is sound", "The segment is sound." in service.ask("expert-mode on; debug dev segment"))
finish()
