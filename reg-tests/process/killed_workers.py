# SPDX-License-Identifier: BSD-2-Clause
"""
Workers are killed at random under load: the others go on, and nothing is lost for good, neither a
slot of a server nor a counter nor a place in a queue.
"""

import os
import random
import signal
import threading
import time

from origin import Origin
from service import PATIENCE, Service, check, finish, until

WORKERS = 4
MAXCONN = 6  # of the server, as in the configuration
CLIENTS = 16


class Load:
    """Clients that ask one request after the other over connections of their own."""

    def __init__(self, service):
        self.service = service
        self.ended = threading.Event()
        self.good = self.broken = 0
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.client) for _ in range(CLIENTS)]
        for t in self.threads:
            t.start()

    def client(self):
        while not self.ended.is_set():
            try:
                status = self.service.get()
            except OSError:
                status = 0
            with self.lock:
                self.good += status == 200
                self.broken += status != 200

    def end(self):
        self.ended.set()
        for t in self.threads:
            t.join()


def kill(pid):
    """False: it was killed before, and is listed until its parent has reaped it."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def kill_some(service, load, seconds):
    """Until so many seconds have gone and some were killed. The number, and whether totals only
    grew."""
    random.seed(4711)
    end = time.monotonic() + seconds
    kills, grew, last = 0, True, 0
    while time.monotonic() < end or kills < 5:
        pids = service.workers()
        if len(pids) > 1:
            kills += kill(random.choice(pids))
        before = load.good
        end_of_wait = time.monotonic() + PATIENCE
        while load.good < before + 20 and time.monotonic() < end_of_wait:
            time.sleep(0.01)
        now = total(service)
        grew = grew and now >= last
        last = now
    return kills, grew


def total(service):
    while True:
        try:
            return int(service.stat("fe", "FRONTEND")["req_tot"])
        except (OSError, KeyError, IndexError):
            pass  # the worker that was asked has been killed


def nothing_left(service, origin):
    row = {name: service.stat("be", name) for name in ("s1", "BACKEND")}
    front = service.stat("fe", "FRONTEND")
    return (row["s1"]["scur"], row["s1"]["qcur"], row["BACKEND"]["qcur"], front["scur"],
            origin.now) == ("0", "0", "0", "0", 0)


def slots_are_all_there(service, origin):
    """As many requests as the server may have go to it, the others wait; then all are answered."""
    origin.hold = threading.Event()
    origin.most = 0
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(service.get()))
               for _ in range(3 * MAXCONN)]
    for t in threads:
        t.start()
    until(f"{MAXCONN} requests are at the server",
          lambda: origin.now == MAXCONN and service.stat("be", "BACKEND")["qcur"] == str(2 * MAXCONN))
    origin.hold.set()
    for t in threads:
        t.join()
    check("never more", origin.most == MAXCONN)
    check("all are answered", answers == [200] * (3 * MAXCONN))


def main():
    service = Service(lambda p: p.add_argument("--seconds", type=float, default=6))
    until("four workers serve", lambda: len(service.workers()) == WORKERS)
    origin = Origin(service.args.back)
    slots_are_all_there(service, origin)
    origin.hold = None
    load = Load(service)
    kills, grew = kill_some(service, load, service.args.seconds)
    load.end()
    print(f"        {kills} killed, {load.good} requests answered, {load.broken} broken off")
    check("no total steps back", grew)
    check("only connections of the killed are broken", load.broken <= kills * CLIENTS)
    until("all workers are back", lambda: len(service.workers()) == WORKERS)
    until("no session is left, and nobody waits", lambda: nothing_left(service, origin))
    until("the shared memory is sound", lambda: service.ask(
        "expert-mode on; debug dev segment").strip() == "The segment is sound.")
    slots_are_all_there(service, origin)
    origin.close()
    finish()


main()
