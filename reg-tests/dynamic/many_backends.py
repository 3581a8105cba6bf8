# SPDX-License-Identifier: BSD-2-Clause
"""
Applications come and go, each with a backend of its own. Run by many_backends.sh.
"""

import os
import threading

from origin import Origin
from processes import descriptors, memory
from service import PATIENCE, Service, check, finish, until

TURNS = int(os.environ.get("TURNS", 150))
FIRST = TURNS // 3
WORKERS = 2
service = Service()
origin = Origin(service.args.back)
apps = f"{service.args.dir}/apps.map"
stop = threading.Event()
counts = {"good": 0, "bad": 0, "again": 0}
wrong = []
path = "/"


def ask(command, *holds):
    answer = service.ask(command)
    if any(text not in answer for text in holds) or (not holds and answer.strip()):
        wrong.append((command, answer))
    return answer


def slots():
    return int(service.ask("debug dev slots").split()[1])


def left():
    return sum(int(service.worker(n, "debug dev slots").split()[-1]) for n in range(1, WORKERS + 1))


def come(n):
    name = f"app{n}"
    ask(f"add backend {name} from apps", "New backend registered.")
    for s in 1, 2:
        ask(f"add server {name}/pod{s} {service.args.back} check inter 1h", "New server registered.")
        ask(f"enable server {name}/pod{s}")
    ask(f"publish backend {name}", "Backend published.")
    ask(f"add map {apps} /{name} {name}")


def used(n):
    """By the clients, and seen by the statistics."""
    global path
    path = f"/app{n}"
    for _ in range(4):
        if service.get(path) != 200:
            wrong.append((path, "no answer"))
    ask(f"show stat app{n} -1 -1", f"app{n},pod1,", f"app{n},BACKEND,")
    ask(f"show servers state app{n}", " pod2 ")


def go(n):
    global path
    path = "/"
    name = f"app{n}"
    ask(f"del map {apps} /{name}")
    ask(f"unpublish backend {name}", "Backend unpublished.")
    for s in 1, 2:
        ask(f"disable server {name}/pod{s}; wait 2m srv-removable {name}/pod{s}; del server {name}/pod{s}",
            "Server deleted.")
    # A worker that has not heard yet that it is unpublished may send one more stream there.
    command = f"wait 2m be-removable {name}; del backend {name}"
    while "still has streams" in (answer := service.ask(command)):
        counts["again"] += 1
    if "Backend deleted." not in answer:
        wrong.append((command, answer))


def sizes(pids):
    return [(memory(pid, "RssAnon"), descriptors(pid)) for pid in pids]


until("the workers serve", lambda: len(service.workers()) == WORKERS)
at, pids = slots(), [service.pid] + service.workers()
threads = [threading.Thread(target=service.keep_asking, args=(counts, stop, lambda: path), daemon=True) for _ in range(3)]
for t in threads:
    t.start()
before = None
for turn in range(TURNS):
    come(turn)
    used(turn)
    go(turn)
    if turn == FIRST:
        until("no slot is left behind", lambda: slots() == at and left() == 0)
        before = sizes(pids)
until("no slot is left behind", lambda: slots() == at and left() == 0)
after = sizes(pids)
stop.set()
for t in threads:
    t.join(PATIENCE)
print(f"        memory (kB) and descriptors {before}, then {after}")
check(f"each command did what it should, {TURNS} times", not wrong)
for command, answer in wrong[:5]:
    print(f"        {command}: {answer}")
check(f"no request has failed: {counts}", counts["bad"] == 0 and counts["good"] > 0)
check("the same processes serve", [service.pid] + service.workers() == pids)
# A sanitizer keeps what was freed.
check("their memory has not grown by more than 1 MB", "SANITIZED" in os.environ or
      all(b[0] <= a[0] + 1024 for a, b in zip(before, after)))
check("nor do they have more descriptors", all(b[1] <= a[1] + 8 for a, b in zip(before, after)))
check("the shared memory is sound", "sound" in service.ask("expert-mode on; debug dev segment"))
finish()
