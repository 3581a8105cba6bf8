# SPDX-License-Identifier: BSD-2-Clause
"""
Servers that come and go beside traffic, with four workers. Run by servers.sh.
"""

import os
import signal
import threading
import time

from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

WORKERS = 4
service = Service()
origin = Origin(service.args.back)


def all_say(command):
    return [service.worker(n, command) for n in range(1, WORKERS + 1)]


def states(backend):
    """What all workers say of the servers of the backend, but for the time since the last change,
    once they agree; None when they never do."""
    end = time.monotonic() + PATIENCE
    while not (agreed := states_now(backend)) and time.monotonic() < end:
        time.sleep(0.02)
    return agreed


def states_now(backend):
    answers = set()
    for answer in all_say(f"show servers state {backend}"):
        lines = [line.split() for line in answer.splitlines()[2:] if line]
        answers.add(tuple(tuple(w[:9] + w[10:]) for w in lines))
    return {w[3]: w for w in answers.pop()} if len(answers) == 1 else None


def request(path, headers="", keep=None):
    s = keep or connect(service.args.front)
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}Connection: close\r\n\r\n".encode())
    got = read_all(s)
    s.close()
    return got


def served(backend, times=20):
    return all(request(f"/{backend}/{n}").startswith(b"HTTP/1.1 200") for n in range(times))


def sound():
    return "The segment is sound." in service.ask("expert-mode on; debug dev segment")


def slots():
    return int(service.ask("debug dev slots").split()[1])


until("four workers serve", lambda: len(service.workers()) == WORKERS)
check("a backend without a server that is up answers 503", request("/be/").startswith(b"HTTP/1.1 503"))
before = slots()

# ---- coming
service.says(f"add server be/n1 {service.args.back}", "New server registered.")
now = states("be")
check("all workers have it, in maintenance", now and now["n1"][6] == "1")
check("it has weight 1, whatever default-server says", now["n1"][8] == "1")
service.says("enable server be/n1", "")
check("it serves in all workers", served("be"))
service.says(f"add server be/n1 {service.args.back}", "Already exists a server with the same name in backend.")
service.says(f"add server be/n2 {service.args.back} from default-server maxconn 3",
     "New server registered.")
check("'from default-server' takes the backend's settings", states("be")["n2"][8] == "7")
service.says(f"add server be/n3 {service.args.back} from fixed", "New server registered.")
check("'from' takes those of a server", service.stat("be", "n3")["slim"] == "5")
service.says(f"add server be/n4 {service.args.back} from checked weight 4", "New server registered.")
check("'from' takes those of a defaults section, words come behind", states("be")["n4"][8] == "4")
service.says(f"add server be/n5 {service.args.back} from nowhere",
     "'from' expects 'default-server', a server of the files or a defaults section, not 'nowhere'.")
service.says(f"add server static/n1 {service.args.back}",
     "Backend must use a dynamic load balancing to support dynamic servers.")
service.says(f"add server be/n6 {service.args.back} track n1",
     "unable to use be/n1 for tracking as it is a dynamic server.")
until("the checked one is up", lambda: states("be")["tracked"][5] == "2")
service.says(f"add server be/n6 {service.args.back} track tracked enabled", "New server registered.")
check("'enabled' starts it, and it is what the tracked one is", states("be")["n6"][5] == "2")
service.says(f"add server be/n7 {service.args.back} resolvers x",
     "'resolvers' option is not accepted for dynamic server")
check("what was refused is nowhere", not {"n5", "n7"} & set(states("be")))

# ---- replaced workers
for n in range(WORKERS):
    victims = service.workers()
    os.kill(victims[n], signal.SIGKILL)
    until("a killed worker is replaced", lambda: len(service.workers()) == WORKERS and
          victims[n] not in service.workers())
check("replacements have the servers as the others have them", states("be"))
check("and send to them", served("be", 40))

# ---- each kind of balancing
for backend in ("ring", "lots", "least"):
    for n in range(1, 4):
        service.says(f"add server {backend}/n{n} {service.args.back} enabled", "New server registered.")
    check(f"{backend}: they serve", served(backend, 40))
    totals = [int(service.stat(backend, f"n{n}")["stot"]) for n in range(1, 4)]
    check(f"{backend}: and each has some, {totals}", sum(totals) == 40 and min(totals) > 0)
    for n in range(1, 4):
        answer = service.ask(f"disable server {backend}/n{n}; wait 1m srv-removable {backend}/n{n}; "
                             f"del server {backend}/n{n}")
        check(f"{backend}/n{n} goes", answer.split() == "Done. Server deleted.".split())
    check(f"{backend}: none is left", request(f"/{backend}/").startswith(b"HTTP/1.1 503"))

# ---- leaving
service.says("del server be/n1", "Only servers in maintenance mode can be deleted.")
service.says("del server be/named", "This server cannot be removed at runtime due to other configuration "
     "elements pointing to it.")
service.says("disable server be/tracked", "")
service.says("del server be/tracked", "This server cannot be removed at runtime due to other configuration "
     "elements pointing to it.")
service.says("del server be/nobody", "No such server.")
service.says("del server nowhere/n1", "No such backend.")
service.says("del server be", "Require 'backend/server'.")
for n in (2, 3, 4, 6):
    service.ask(f"disable server be/n{n}")
    service.says(f"del server be/n{n}", "Server deleted.")
origin.hold = threading.Event()
busy = connect(service.args.front)
busy.sendall(b"GET /be/busy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
until("a request is on n1", lambda: origin.now == 1)
service.says("disable server be/n1", "")
service.says("del server be/n1", "Server still has connections attached to it, cannot remove it.")
service.says("wait 10ms srv-removable be/n1", "Wait delay expired.")
service.says("wait 1m srv-removable be/nobody", "Failed: No such server.")
service.says("wait 1m srv-removable be/named", "Failed: This server cannot be removed at runtime due to "
     "other configuration elements pointing to it.")
answers = []
waiting = threading.Thread(target=lambda: answers.append(
    service.ask("wait 2m srv-removable be/n1; del server be/n1")))
waiting.start()
until("somebody waits until it can go", lambda: any("GLOBAL" in a for a in all_say("show sess")))
origin.hold.set()
check("it is answered", read_all(busy).startswith(b"HTTP/1.1 200"))
waiting.join(PATIENCE)
check("then it can go, and goes", answers and answers[0].split() == "Done. Server deleted.".split())
check("no worker has it", set(states("be")) == {"fixed", "tracked", "named"})
service.says("disable server be/fixed", "")
service.says("wait 1m srv-removable be/fixed", "Done.")
service.says("del server be/fixed", "Server deleted.")
check("one of the files can go, too", set(states("be")) == {"tracked", "named"})
until("all slots are free again", lambda: slots() <= before)
check("the shared memory is sound", sound())

# ---- stick tables: an entry that points to a server that has gone is for nobody else
service.says(f"add server table/old {service.args.back} enabled", "New server registered.")
check("a client is tied to a server", request("/table/?k=a").startswith(b"HTTP/1.1 200"))
check("the entry has its id and name", "server_id=2 server_key=old" in service.ask("show table table"))
service.says("disable server table/old", "")
service.says("wait 1m srv-removable table/old", "Done.") # the stream of the answer may be there still
service.says("del server table/old", "Server deleted.")
service.says(f"add server table/new {service.args.back} enabled weight 0", "New server registered.")
check("another has its id now", service.stat("table", "new")["sid"] == "2")
check("it does not get who was tied to the other", request("/table/?k=a").startswith(b"HTTP/1.1 503"))

# ---- a server goes while a stream is forced to it: the stream goes on
service.says(f"add server be/c1 {service.args.back} cookie c1 enabled", "New server registered.")
origin.hold = threading.Event()
busy = connect(service.args.front)
busy.sendall(b"GET /be/busy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
until("a request is on it", lambda: origin.now == 1)
check("its worker is killed", True)
holder = [n for n, answer in enumerate(all_say("show sess"), 1) if "srv=c1" in answer]
check(f"one worker has it: {holder}", len(holder) == 1)
service.says("disable server be/c1", "")
os.kill(service.workers()[holder[0] - 1], signal.SIGKILL)
until("then nothing is on it", lambda: service.ask("del server be/c1").strip() == "Server deleted.")
origin.hold.set()
until("all workers are back", lambda: len(service.workers()) == WORKERS and states("be"))
check("the shared memory is sound", sound())
finish()
