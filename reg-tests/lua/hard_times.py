# SPDX-License-Identifier: BSD-2-Clause
"""Parts of hard_times.sh."""

import os
import random
import signal
import socket
import struct
import threading
import time

from processes import descriptors as descriptors_of
from service import PATIENCE, Service, check, connect, finish, read_all, until

DAY = 86400
CLOSED = 200, "connection closed."  # what receive says when its time is over, as in the reference
service = Service(lambda p: [p.add_argument("part"), p.add_argument("--silent", type=int),
                             p.add_argument("--ahead")])
random.seed(4)
silent = socket.create_server(("127.0.0.1", service.args.silent), backlog=500)


def get(path):
    """Status and body."""
    got = service.fetch(path)
    return got.status, got.text


def accept_all():
    taken = []
    while True:
        try:
            taken.append(silent.accept()[0])
        except OSError:
            return


def descriptors():
    threading.Thread(target=accept_all, daemon=True).start()
    get("/nothing")
    before = descriptors_of(service.pid)
    status, said = get("/open")
    print("        " + said)
    count = int(said.split()[0])
    check("a script opens sockets until there are no more, and hears so",
          status == 200 and 20 < count < 150 and "nil" not in said)
    until("all are closed again", lambda: descriptors_of(service.pid) <= before)
    holder = []
    early = connect(service.args.front)  # there will be no descriptor for another client
    t = threading.Thread(target=lambda: holder.append(get("/open?hold=1")))
    t.start()
    until("meanwhile there are none", lambda: descriptors_of(service.pid) >= 145)
    answers = []
    others = [threading.Thread(target=lambda: answers.append(get("/socket"))) for _ in range(5)]
    for o in others:
        o.start()
    early.sendall(b"GET /release HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    read_all(early)
    for o in others:
        o.join(PATIENCE)
    t.join(PATIENCE)
    check(f"others are served: {sorted(set(answers))}", all(a[0] == 200 for a in answers))
    check("and the one that held them", holder[0][0] == 200)
    until("all are closed again", lambda: descriptors_of(service.pid) <= before)
    for _ in range(20):
        get("/leave")
    check("what nobody closed goes with the garbage", descriptors_of(service.pid) < before + 60)
    check("a script gets one now", get("/socket") == CLOSED)


def clock():
    def set_clock(seconds):
        with open(service.args.ahead, "r+b") as f:
            f.write(struct.pack("q", seconds))

    before = 0
    for ahead in DAY, -10 * 365 * DAY, 0:
        answers = []

        def ask(path):
            began = time.monotonic()
            answers.append((path, get(path)[1], time.monotonic() - began))

        ticks = int(get("/ticks")[1])
        threads = [threading.Thread(target=ask, args=(p,)) for p in ("/sleep", "/sleep", "/socket")]
        for t in threads:
            t.start()
        until("they wait", lambda: service.ask("show sess").count("fe=fe") == 3)
        set_clock(ahead)
        for t in threads:
            t.join(PATIENCE)
        seen = [int(said) for path, said, _ in answers if path == "/sleep"]
        check(f"core.now sees it: {seen}", any(abs(s - (ahead - before)) < 3 for s in seen))
        before = ahead
        for path, said, took in answers:
            least = 0.29 if path == "/sleep" else 0.98
            check(f"{ahead} s: {path} took {took:.2f} s", least <= took < 30)
        until("the task goes on", lambda: int(get("/ticks")[1]) > ticks + 4)


def signals():
    stop, counts, bad = threading.Event(), {}, []

    def ask(path, wanted):
        while not stop.is_set():
            try:
                answer = get(path)
            except OSError as e:
                answer = str(e)
            counts[path] = counts.get(path, 0) + 1
            if answer != (200, wanted):
                bad.append((path, answer))

    threads = [threading.Thread(target=ask, args=a) for a in
               (("/work", "10893"), ("/work", "10893"), ("/sleep", "0"), ("/socket", CLOSED[1]))]
    threading.Thread(target=accept_all, daemon=True).start()
    for t in threads:
        t.start()
    for n in range(300):
        to = random.choice([service.pid, *service.children()])
        try:
            os.kill(to, random.choice([signal.SIGHUP, signal.SIGTTIN, signal.SIGWINCH, signal.SIGPIPE,
                                       signal.SIGCONT, signal.SIGCHLD]))
        except ProcessLookupError:
            pass
        if n % 100 == 50:
            os.kill(service.pid, signal.SIGUSR2)
        time.sleep(0.005)
    stop.set()
    for t in threads:
        t.join(PATIENCE)
    bad = [b for b in bad if b[0] != "/sleep" or b[1] != (200, "1")]  # it was the end of a second
    check(f"requests with scripts go on: {counts}, {len(bad)} others: {bad[:3]}", not bad)
    # A worker that is asked to finish lets its scripts finish.
    answers = []
    waits = [threading.Thread(target=lambda: answers.append(get("/socket"))) for _ in range(6)]
    for t in waits:
        t.start()
    until("six scripts wait", lambda: len(service.ask("show sess").splitlines()) >= 6)
    check("a reload", "Success=1" in service.parent("reload"))
    for t in waits:
        t.join(PATIENCE)
    check(f"those of the old workers finish: {answers}", answers == [CLOSED] * 6)


{"descriptors": descriptors, "clock": clock, "signals": signals}[service.args.part]()
finish()
