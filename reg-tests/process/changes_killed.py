# SPDX-License-Identifier: BSD-2-Clause
"""What changes_killed.sh describes."""

import itertools
import os
import random
import signal
import threading

from service import PATIENCE, Service, check, connect, finish, read_all, until

WORKERS, KILLS = 4, 8
service = Service("certs")
kept = f"{service.args.certs}/kept.pem"
random.seed(7)
stop = threading.Event()
said = {"done": 0, "refused": 0, "cut": 0}
numbers = itertools.count(1)


def pem(name):
    with open(f"{service.args.certs}/{name}.pem") as f:
        return f.read()


def keep_setting(server):
    while not stop.is_set():
        n = next(numbers) % 256
        try:
            answer = service.ask(f"set weight be/{server} {n}")
            closed = False
        except OSError:
            answer, closed = "", True
        said["cut" if closed else "refused" if answer else "done"] += 1


def keep_committing():
    for name in itertools.cycle(("second", "first")):
        if stop.is_set():
            return
        for command in (f"set ssl cert {kept} <<\n{pem(name)}\n", f"commit ssl cert {kept}"):
            try:
                answer = service.ask(command)
                said["done" if "Transaction" in answer or "Success" in answer else "refused"] += 1
            except OSError:
                said["cut"] += 1


def all_say(command):
    return [service.worker(n, command) for n in range(1, WORKERS + 1)]


def agree(command):
    answers = all_say(command)
    return len(set(answers)) == 1 and answers[0] and "Can't find" not in answers[0] and answers[0]


def whole(without=()):
    """All serve, and the parent has noticed that the killed ones have ended."""
    now = service.workers()
    return len(now) == WORKERS and not set(without) & set(now) and not service.old_workers()


until("four workers serve", whole)
threads = [threading.Thread(target=keep_setting, args=(s,), daemon=True) for s in ("s1", "s1", "s2")]
threads.append(threading.Thread(target=keep_committing, daemon=True))
for t in threads:
    t.start()
for n in range(KILLS):
    before = said["done"]
    victim = service.workers()[n % WORKERS]
    os.kill(victim, signal.SIGKILL)
    if n % 4 == 3:
        check("a reload meanwhile", "Success=1" in service.parent("reload"))
    until(f"{n}: changes go on", lambda: said["done"] > before + 20)
    until("it is replaced", lambda: whole([victim]))
stop.set()
for t in threads:
    t.join(PATIENCE)
print("        " + " ".join("%s %d" % item for item in said.items()))
for server in ("s1", "s2"):
    until(f"all agree about {server}", lambda: agree(f"get weight be/{server}"))
until("and about the certificate", lambda: agree(f"show ssl cert {kept}"))
until("and about the transaction", lambda: agree("show ssl cert"))
service.ask(f"abort ssl cert {kept}")
until("which can be ended", lambda: "*" not in (agree("show ssl cert") or "*"))
check("one that is said to be done", service.ask("set weight be/s1 77") == "")
until("is done in all", lambda: agree("get weight be/s1") == "77 (initial 1)")

# ---- half of a payload -------------------------------------------------------------------------
shown = until("all show the certificate", lambda: agree(f"show ssl cert {kept}"))
for part in (pem("second")[:-400], pem("second")):
    s = connect(service.args.stats)
    s.sendall(f"set ssl cert {kept} <<\n{part}".encode())
    until("a worker has it", lambda: any("fe=GLOBAL" in said for said in all_say("show sess")))
    victims = service.workers()
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    try:
        read_all(s)
    except OSError:
        pass
    until("all are replaced", lambda: whole(victims))
    until("half of a payload is none: no transaction", lambda: "*" not in (agree("show ssl cert") or "*"))
    until("nor a change", lambda: agree(f"show ssl cert {kept}") == shown)
until("the shared memory is sound", lambda: service.ask(
    "expert-mode on; debug dev segment").strip() == "The segment is sound.")
finish()
