# SPDX-License-Identifier: BSD-2-Clause
"""Slots of a server that four workers share: how many, how many may wait, who is next."""

import threading
import time

from http1 import Answer, reply
from origin import serve
from service import Service, asked, check, finish, read_all, until

SLOTS, WAITERS = 2, 16
APART = 0.015  # seconds between two that come: more than the order is exact to


class Gate:
    """An origin that answers one request for each permit, and notes the order in which they
    came."""

    def __init__(self, where):
        self.permits = threading.Semaphore(0)
        self.lock = threading.Lock()
        self.arrived, self.now, self.most = [], 0, 0
        serve(where, self.answer)

    def answer(self, r):
        with self.lock:
            self.arrived.append(int(r.path[1:]))
            self.now += 1
            self.most = max(self.most, self.now)
        self.permits.acquire()
        with self.lock:
            self.now -= 1
        return reply(close=True)


def status(s):
    with s:
        return Answer(read_all(s)).status


def silently(condition):
    """until() without a line for each of many."""
    end = time.monotonic() + 120
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def queued(service, proxy="be"):
    return int(service.stat(proxy, "BACKEND")["qcur"]) + int(service.stat(proxy, "s1")["qcur"])


def order(service, gate):
    clients, shown = [], True
    for n in range(SLOTS + WAITERS):
        came = time.monotonic()
        clients.append(asked(service.args.front, f"/{n}"))
        if n < SLOTS:
            shown &= silently(lambda n=n: len(gate.arrived) == n + 1)
        else:
            shown &= silently(lambda n=n: queued(service) == n + 1 - SLOTS)
        shown &= silently(lambda came=came: time.monotonic() > came + APART)
    check(f"{SLOTS} are served and {WAITERS} wait, in whichever worker", shown)
    check("show stat says so of all", int(service.stat("be", "s1")["scur"]) == SLOTS)
    alone = [queued_alone(service, n) for n in range(1, 5)]
    check(f"more than one worker has some of them: {alone}",
          sum(alone) == WAITERS and max(alone) < WAITERS)
    for n in range(WAITERS):
        gate.permits.release()
        shown &= silently(lambda n=n: len(gate.arrived) == SLOTS + n + 1)
    for _ in range(SLOTS):
        gate.permits.release()
    check("each slot that is free is taken at once by one of them", shown)
    check("all are answered", all(status(s) == 200 for s in clients))
    late = sum(a > b for a, b in zip(gate.arrived[SLOTS:], gate.arrived[SLOTS + 1:]))
    # A worker that gets no processor time for long is passed over.
    check(f"in the order in which they came: {gate.arrived}", late <= 2)
    check("never more at once than there are slots", gate.most == SLOTS)
    check("which show stat has seen", int(service.stat("be", "s1")["smax"]) == SLOTS)
    check("as well as all who waited", int(service.stat("be", "BACKEND")["qmax"]) +
          int(service.stat("be", "s1")["qmax"]) >= WAITERS)
    check("nobody waits any more", queued(service) == 0)


def queued_alone(service, number):
    through = lambda command: service.worker(number, command)
    return sum(int(service.stat("be", name, through)["qcur"]) for name in ("BACKEND", "s1"))


def many(service, gate):
    """As fast as they come: nobody is forgotten."""
    gate.arrived.clear()
    for _ in range(200):
        gate.permits.release()
    clients = [asked(service.args.front, f"/{n}") for n in range(200)]
    check("200 at once are all served", all(status(s) == 200 for s in clients))
    check("and never more at once than there are slots", gate.most == SLOTS)


def generations(service, gate):
    gate.arrived.clear()
    clients, before = [], set(service.workers())
    for n in range(SLOTS + 3):
        clients.append(asked(service.args.front, f"/{n}"))
        silently(lambda n=n: len(gate.arrived) + queued(service) == n + 1)
    check("a reload succeeds", "Success=1" in service.parent("reload"))
    check("workers of another generation serve", len(set(service.workers()) - before) == 4)
    for n in range(SLOTS + 3, SLOTS + 6):
        clients.append(asked(service.args.front, f"/{n}"))
        silently(lambda n=n: len(gate.arrived) + queued(service) == n + 1)
    check("old and new workers have the slots together", len(gate.arrived) == SLOTS and
          queued(service) == 6)
    for _ in clients:
        gate.permits.release()
    check("and all who wait get one", all(status(s) == 200 for s in clients) and
          gate.most == SLOTS)


def maxqueue(service, gate):
    gate.arrived.clear()
    clients = [asked(service.args.few, f"/{n}") for n in range(SLOTS)]
    until("the slots are taken", lambda: len(gate.arrived) == SLOTS)
    for n in range(3):
        clients.append(asked(service.args.few, f"/{SLOTS + n}"))
        silently(lambda n=n: queued(service, "few") == n + 1)
    check("three may wait for a server with maxqueue 3", queued(service, "few") == 3)
    service.ask("set maxconn server few/s1 4")
    until("two more slots serve two of them", lambda: len(gate.arrived) == 4)
    for _ in clients:
        gate.permits.release()
    check("all five are answered", all(status(s) == 200 for s in clients))


def main():
    service = Service("few")
    gate = Gate(service.args.back)
    order(service, gate)
    many(service, gate)
    generations(service, gate)
    maxqueue(service, gate)
    finish()


main()
