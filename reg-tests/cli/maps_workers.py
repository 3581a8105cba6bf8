# SPDX-License-Identifier: BSD-2-Clause
"""What maps_workers.sh describes."""

import os
import random
import signal
import threading

from service import Service, check, connect, finish, read_all, until

WORKERS = 4
service = Service()
m = f"{service.args.dir}/m.map"
stop = threading.Event()
done = {"rules": 0, "commands": 0, "versions": 0, "payloads": 0, "cut": 0}


def agree(command=f"show map {m}"):
    answers = [service.worker(n, command) for n in range(1, WORKERS + 1)]
    return len(set(answers)) == 1 and (answers[0] or "nothing")


def whole(without=()):
    """All serve, and the parent has noticed that the killed ones have ended."""
    now = service.workers()
    return len(now) == WORKERS and not set(without) & set(now) and not service.old_workers()


def kill_all():
    victims = service.workers()
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    return victims


def keep(name, once):
    rng = random.Random(name)
    while not stop.is_set():
        try:
            once(rng)
            done[name] += 1
        except OSError:
            done["cut"] += 1


def by_rule(rng):
    service.get(f"/{rng.choice(['set', 'del'])}{rng.randrange(20)}")


def by_command(rng):
    key = f"/{rng.choice(['set', 'del'])}{rng.randrange(20)}"
    service.ask(rng.choice([f"add map {m} {key} 1", f"del map {m} {key}", f"set map {m} {key} 2"]))


def by_version(rng):
    answer = service.ask(f"prepare map {m}")
    if not answer:
        raise ConnectionError("the worker was killed before it answered")
    number = answer.split(": ")[1]
    lines = "".join(f"/v{n} {n}\n" for n in range(rng.randrange(300)))
    service.ask(f"add map @{number} {m} <<\n{lines}")
    service.ask(rng.choice(["commit", "clear"]) + f" map @{number} {m}")


def by_payload(rng):
    service.ask(f"add map {m} <<\n" + "".join(f"/set{n % 25} {n}\n" for n in range(rng.randrange(200))))


until("four workers serve", whole)
check("they have the file", agree().endswith(" /a old"))
threads = [threading.Thread(target=keep, args=pair, daemon=True) for pair in (
    ("rules", by_rule), ("commands", by_command), ("versions", by_version), ("payloads", by_payload))]
for t in threads:
    t.start()
for n in range(4):
    before = dict(done)
    victim = service.workers()[n]
    os.kill(victim, signal.SIGKILL)
    until(f"{n}: all go on", lambda: all(done[k] > before[k] + 3 for k in before if k != "cut"))
    until("it is replaced", lambda: whole([victim]))
stop.set()
for t in threads:
    t.join(60)
print("        " + " ".join("%s %d" % item for item in done.items()))
until("all have the same entries", agree)
check("nobody ended since it could not follow", not service.logged("cannot be applied"))

# ---- commands that are sent ahead ---------------------------------------------------------------
service.ask(f"clear map {m}")
said = service.ask("prompt\n" + "".join(f"add map {m} /ahead{n} {n}\n" for n in range(300)) +
                   f"show map {m}\nprompt\n")
check("none of 300 is lost while another is carried out", said.count("/ahead") == 300)

# ---- the middle of a payload -------------------------------------------------------------------
service.ask(f"clear map {m}")
s = connect(service.args.stats)
s.sendall((f"add map {m} <<\n" + "".join(f"/k{n} v\n" for n in range(5000))).encode())
until("a worker takes it", lambda: any("fe=GLOBAL" in service.worker(n, "show sess")
                                       for n in range(1, WORKERS + 1)))
victims = kill_all()
try:
    read_all(s)
except OSError:
    pass
until("all are replaced", lambda: whole(victims))
until("nothing of it is left", lambda: agree() == "nothing")
service.ask(f"add map {m} <<\n/a new\n")
until("another is taken", lambda: (agree() or "").endswith(" /a new"))
number = service.ask(f"prepare map {m}").split(": ")[1]
service.ask(f"add map @{number} {m} /a newer")
victims = kill_all()
until("all are replaced again", lambda: whole(victims))
check("they know what was prepared", service.ask(f"commit map @{number} {m}") == "")
until("and have it in force", lambda: (agree() or "").endswith(" /a newer"))
reference = agree().split(" ")[0]
check("references are the same in all", service.ask(f"del map {m} #{reference}") == "" and
      agree() == "nothing")

# ---- a reload ----------------------------------------------------------------------------------
service.ask(f"add map {m} /b lost")
check("a reload", "Success=1" in service.parent("reload"))
until("new workers alone", whole)
until("reads the file again", lambda: (agree() or "").endswith(" /a old"))
check("its entries have other references", reference not in agree())
finish()
