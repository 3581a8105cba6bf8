# SPDX-License-Identifier: BSD-2-Clause
"""
Plays controllers. Run by controllers.sh.
"""

import os
import threading

from origin import Origin
from service import PATIENCE, Service, check, finish, until

TURNS = int(os.environ.get("TURNS", 40))
WORKERS = 2
service = Service("certs")
origin = Origin(service.args.back)
host, port = service.args.back.rsplit(":", 1)
maps = f"{service.args.dir}/host.map"
kept = f"{service.args.certs}/kept.pem"
stop = threading.Event()
counts = {"good": 0, "bad": 0}
wrong = []


def pem(name):
    with open(f"{service.args.certs}/{name}.pem") as f:
        return f.read()


def client():
    while not stop.is_set():
        try:
            counts["good" if service.get("/") == 200 else "bad"] += 1
        except OSError:
            counts["bad"] += 1


def ask(command, holds=""):
    """An answer that does not hold what it should is noted."""
    answer = service.ask(command)
    if holds not in answer or (not holds and answer.strip()):
        wrong.append((command.splitlines()[0], answer))
    return answer


def spare_servers(n):
    """haproxytech, jcmoraisjr: servers that are there get addresses."""
    for i in 1, 2, 3:
        name = f"ing_one/srv_{i}"
        answer = ask(f"set server {name} addr {host} port {port}", "by 'stats socket command'")
        ask(f"set server {name} state ready")
        ask(f"set server {name} weight {1 + (n + i) % 3}")
        assert answer
    for i in 1, 2, 3:
        ask(f"set server ing_one/srv_{i} state drain")
        ask(f"set server ing_one/srv_{i} state maint")


def own_servers(n):
    """dataplane: servers come and go."""
    name = f"ing_two/pod{n}"
    ask(f"add server {name} {service.args.back} maxconn 100 check inter 1h", "New server registered.")
    ask(f"enable health {name}; enable server {name}")
    ask(f"set map {maps} one.example/ ing_two")
    ask("show servers state ing_two", f" pod{n} ")
    ask(f"set map {maps} one.example/ ing_one")
    ask(f"disable server {name}; shutdown sessions server {name}; "
        f"wait 1m srv-removable {name}; del server {name}", "Server deleted.")


def new_maps(n):
    ask(f"add map {maps} host{n}.example/ ing_one")
    ask(f"add map {maps} <<\nother{n}.example/ ing_one\nmore{n}.example/ ing_two\n")
    ask(f"del map {maps} host{n}.example/")
    version = ask(f"prepare map {maps}", "New version created:").split(":")[1].strip()
    ask(f"add map @{version} {maps} <<\none.example/ ing_one\nlast{n}.example/ ing_one\n")
    ask(f"commit map @{version} {maps}")
    ask(f"show map {maps}", f"last{n}.example/")


def new_certificate(n):
    ask(f"set ssl cert {kept} <<\n{pem('second' if n % 2 else 'first')}\n", "Transaction")
    ask(f"commit ssl cert {kept}", "Success!")


def agree(command):
    return len({service.worker(n, command) for n in range(1, WORKERS + 1)}) == 1


def reload():
    with open(f"{service.args.dir}/states", "w") as f:
        f.write(service.ask("show servers state"))
    check("a reload succeeds", "Success=1" in service.parent("reload"))


until("the workers serve", lambda: len(service.workers()) == WORKERS)
threads = [threading.Thread(target=client, daemon=True) for _ in range(3)]
for t in threads:
    t.start()
for n in range(TURNS):
    spare_servers(n)
    own_servers(n)
    new_maps(n)
    new_certificate(n)
    ask("show stat", "ing_one,srv001,")
    ask("show info", "Version")
    if n % 10 == 9:
        reload()
stop.set()
for t in threads:
    t.join(PATIENCE)
check(f"each command did what it should, {TURNS} times", not wrong)
for command, answer in wrong[:5]:
    print(f"        {command}: {answer}")
check(f"no request has failed: {counts}", counts["bad"] == 0 and counts["good"] > 0)
until("only the last workers are left", lambda: not service.old_workers())
for command in "show map " + maps, "show ssl cert " + kept, "show servers state ing_two":
    check(f"all workers agree: {command.split('/')[0]}", agree(command))
check("the shared memory is sound", "sound" in service.ask("expert-mode on; debug dev segment"))
finish()
