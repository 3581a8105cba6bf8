# SPDX-License-Identifier: BSD-2-Clause
"""Part of variables.sh."""

import os
import random
import signal
import statistics
import threading
import time

from http1 import Reader, request
from service import PATIENCE, Service, check, connect, finish, read_all, until

WORKERS, KILLS = 4, 6
service = Service()
random.seed(5)


class Client:
    """A connection that stays: to one worker."""

    def __init__(self):
        self.s = connect(service.args.front)

    def get(self, path):
        self.s.sendall(request(path))
        got = Reader(self.s).message()
        if got is None:
            raise OSError("it has closed")
        return got[1].decode().split(" ")


def clients():
    """One for each worker."""
    found = {}
    while len(found) < WORKERS:
        c = Client()
        found.setdefault(c.get("/")[0], c)
    return [found[number] for number in sorted(found)]


def whole(without=()):
    now = service.workers()
    return len(now) == WORKERS and not set(without) & set(now) and not service.old_workers()


def all_have(value, among):
    return all(c.get("/")[1] == value for c in among)


def agree(name="proc.x"):
    answers = {service.worker(n, f"get var {name}") for n in range(1, WORKERS + 1)}
    return len(answers) == 1 and answers.pop()


until("four workers serve", whole)
all_ = clients()

# ---- a value goes everywhere ---------------------------------------------------------------------
took = []
for n in range(20):
    setter = all_[n % WORKERS]
    setter.get(f"/?x=v{n}")
    begun = time.monotonic()
    while not all_have(f"v{n}", all_) and time.monotonic() < begun + PATIENCE:
        time.sleep(0.001)
    took.append(time.monotonic() - begun)
    time.sleep(0.05)  # each begins at rest, not as a check
check("all have each value, most of them within 100 ms: median %.1f ms, at most %.1f ms" %
      (statistics.median(took) * 1000, max(took) * 1000),
      statistics.median(took) < 0.1 and max(took) < PATIENCE)
took = []
for n in range(20):  # one upon the other
    all_[n % WORKERS].get(f"/?x=w{n}")
    begun = time.monotonic()
    all_[n % WORKERS].get(f"/?x=z{n}")
    while not all_have(f"z{n}", all_) and time.monotonic() < begun + PATIENCE:
        time.sleep(0.001)
    took.append(time.monotonic() - begun)
check("so have they a value that follows another one: median %.1f ms, at most %.1f ms" %
      (statistics.median(took) * 1000, max(took) * 1000),
      statistics.median(took) < 0.1 and max(took) < PATIENCE)
all_[1].get("/unset")
until("unset in one is unset in all", lambda: all_have("", all_))
service.ask("experimental-mode on; set var proc.x str(socket)")
until("what the socket sets", lambda: all_have("socket", all_))
all_[2].get("/?x=rule")
until("is what a rule sets next", lambda: all_have("rule", all_))
check("and what the socket says", "<rule>" in service.ask("get var proc.x"))


# ---- each request sets it ------------------------------------------------------------------------
def switches(pid):
    with open(f"/proc/{pid}/status") as f:
        return sum(int(line.split()[1]) for line in f if "ctxt_switches" in line)


LOAD_SECONDS = 2
before, counts = switches(service.pid), [0] * WORKERS


def load(n):
    end = time.monotonic() + LOAD_SECONDS
    while time.monotonic() < end:
        all_[n].get("/each")
        counts[n] += 1


threads = [threading.Thread(target=load, args=(n,)) for n in range(WORKERS)]
for t in threads:
    t.start()
for t in threads:
    t.join()
woken = switches(service.pid) - before
# 25 a second of each worker, each with a wake-up or two.
check(f"{sum(counts)} requests set it, the parent ran {woken} times",
      woken < WORKERS * LOAD_SECONDS * 100)
until("they agree afterwards", lambda: agree("proc.each"))

# ---- workers are killed --------------------------------------------------------------------------
stop = threading.Event()
served = [0]


def keep_setting():
    c = None
    while not stop.is_set():
        try:
            c = c or Client()
            c.get(f"/?x={random.randrange(10 ** 6)}")
            served[0] += 1
        except OSError:
            c = None


threads = [threading.Thread(target=keep_setting) for _ in range(6)]
for t in threads:
    t.start()
for n in range(KILLS):
    before = served[0]
    victim = service.workers()[n % WORKERS]
    os.kill(victim, signal.SIGKILL)
    until(f"{n}: requests go on", lambda: served[0] > before + 50)
    until("it is replaced", lambda: whole([victim]))
stop.set()
for t in threads:
    t.join()
until("all agree", agree)
said = agree()
time.sleep(0.2)
check("and go on to: " + str(said), agree() == said)
all_ = clients()
all_[0].get("/?x=kept")
until("a value", lambda: all_have("kept", all_))
victims = service.workers()
for victim in victims:
    os.kill(victim, signal.SIGKILL)
until("all are replaced", lambda: whole(victims))
all_ = clients()
check("and have it", all_have("kept", all_))

# ---- a worker that is stopped does not grow the parent -------------------------------------------
stopped = service.workers()[0]
os.kill(stopped, signal.SIGSTOP)
others = [c for c in all_ if c is not all_[0]]
end = time.monotonic() + 1
n = 0
while time.monotonic() < end:
    for c in others:
        n += 1
        c.get(f"/?x=s{n}")
os.kill(stopped, signal.SIGCONT)
others[0].get("/?x=after")
until("one that was stopped has the last value as well", lambda: all_have("after", all_))
check("and lives", stopped in service.workers())

# ---- a reload ------------------------------------------------------------------------------------
all_[0].get("/?file=2")
until("the value of the file is changed", lambda: all(c.get("/")[2] == "2" for c in all_))
slow = [Client(), Client()]
for c in slow:
    c.s.sendall(b"POST /slow?x=old HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
until("two requests wait", lambda: service.parent("@1 show info") and all_have("old", all_))
check("a reload", "Success=1" in service.parent("reload"))
fresh = clients()
check("the new workers have the value of the file", all(c.get("/")[2] == "1" for c in fresh))
check("and no other", all_have("", fresh))
fresh[0].get("/?x=new")
until("what is set now", lambda: all_have("new", fresh))
for c in slow:
    c.s.sendall(b"z")
    got = read_all(c.s).decode()
    check("an old worker has its own: " + repr(got[-20:]), got.endswith("old 2"))
finish()
