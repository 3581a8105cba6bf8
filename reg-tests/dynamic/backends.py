# SPDX-License-Identifier: BSD-2-Clause
"""
Backends that come and go beside traffic, with four workers. Run by backends.sh.
"""

import os
import signal
import threading

from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

WORKERS = 4
service = Service()
origin = Origin(service.args.back)
names = f"{service.args.dir}/names.map"


def all_say(command):
    return [service.worker(n, command) for n in range(1, WORKERS + 1)]


def request(path):
    with connect(service.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return read_all(s)


def statuses(path, times=20):
    """Of some requests, so that each worker has some."""
    return {request(path).split()[1].decode() for _ in range(times)}


def backends(answer):
    return answer.split()[2:]


def sound():
    return "The segment is sound." in service.ask("expert-mode on; debug dev segment")


def slots():
    return int(service.ask("debug dev slots").split()[1])


def knows(name):
    return all(name in backends(answer) for answer in all_say("show backend"))


def nobody_knows(name):
    return not any(name in backends(answer) for answer in all_say("show backend"))


until("four workers serve", lambda: len(service.workers()) == WORKERS)
before = slots()

# ---- coming
service.say("add backend b1", "'from' and the name of a defaults section are expected.")
service.say("add backend b1 from nowhere", "There is no defaults section 'nowhere'.")
service.say("add backend b1 from twice", "There are two defaults sections 'twice'.")
service.say("add backend b1 from modeless", "'mode' is expected: defaults section 'modeless' has none.")
service.say("add backend b1 from web mode udp", "'mode' is 'tcp' or 'http', not 'udp'.")
service.say("add backend b1 from web mode", "'mode' expects a value.")
service.say("add backend b1 from web balance first", "'balance' is not known: 'from <defaults>', 'mode tcp|http' and 'guid <id>' are.")
service.say("add backend named from web", "Already exists a backend with the same name.")
service.say("add backend b/1 from web", "'/' cannot stand in a name: letters, digits and '-', '_', '.', ':' can")
check("what was refused is nowhere", nobody_knows("b1"))
service.say("add backend b1 from web", "New backend registered.")
until("all workers have it", lambda: knows("b1"))
row = service.stat("b1", "BACKEND")
check(f"it has a row of its own, number {row['iid']}", row["stot"] == "0" and row["mode"] == "http")
service.say(f"add server b1/s1 {service.args.back} check", "New server registered.")
service.say("enable health b1/s1; enable server b1/s1", "")
until("its servers are checked while it is unpublished", lambda: service.stat("b1", "s1")["check_status"] == "L7OK")
check("the page says that it is unpublished", b">unpublished<" in request("/page"))
check("show backend state, show stat and Prometheus do", "b1 unpublished" in service.ask("show backend state").splitlines() and
      service.stat("b1", "BACKEND")["unpublished"] == "1" and
      b'penstock_backend_unpublished{proxy="b1"} 1' in request("/metrics"))
check("no rule chooses it", statuses("/b1/") == {"404"})
check("the next rule that holds does", statuses("/second/b1") == {"404"} and service.stat("b1", "BACKEND")["stot"] == "0")
service.say("publish backend b1", "Backend published.")
check("published it serves in all workers", statuses("/b1/", 40) == {"200"})
check("Prometheus is told of it",
      b'haproxy_backend_http_requests_total{proxy="b1"} 40' in request("/metrics") and
      b'proxy="b1",server="s1"' in request("/metrics"))
check("the page shows it, as published", b"b1" in request("/page") and b"b1" in request("/page;csv") and
      b">unpublished<" not in request("/page"))
check("show backend state, show stat and Prometheus, too", "b1 published" in service.ask("show backend state").splitlines() and
      service.stat("b1", "BACKEND")["unpublished"] == "0" and
      b'penstock_backend_unpublished{proxy="b1"} 0' in request("/metrics"))
check("show servers state and show servers conn have its server", " b1 " in service.ask("show servers state b1") and
      "b1/s1" in service.ask("show servers conn b1"))
check("and by other rules", statuses("/second/b1") == {"200"})
check("its sessions are counted", service.stat("b1", "BACKEND")["stot"] == "60")
service.say(f"add map {names} mapped b1", "")
check("a map leads to it", statuses("/mapped/") == {"200"})
service.say("unpublish backend b1", "Backend unpublished.")
check("unpublished it is passed over", statuses("/b1/") == {"404"} and statuses("/mapped") == {"404"})
service.say("publish backend b1", "Backend published.")

# ---- what its defaults section says
service.say("add backend r1 from ruled", "New backend registered.")
service.say(f"add server r1/s1 {service.args.back} enabled; publish backend r1", "New server registered. Backend published.")
got = request("/r1/").lower()
check("rules of its defaults section run", b"x-answered: ruled" in got)
check("so does the balancing", service.stat("r1", "BACKEND")["algo"] == "leastconn")
service.say("add backend m1 from modeless mode http", "New backend registered.")
service.say("add backend t1 from bytes", "New backend registered.")
service.say("add backend t2 from web mode tcp", "New backend registered.")
check("'mode' wins", service.stat("t2", "BACKEND")["mode"] == "tcp")
service.say(f"add server t1/s1 {service.args.back} enabled; publish backend t1", "New server registered. Backend published.")
check("a frontend in mode http chooses no backend in mode tcp", statuses("/t1/") == {"404"})

# ---- backends of the file
check("one of the file serves", statuses("/fixed") == {"200"})
service.say("unpublish backend named", "Backend unpublished.")
check("until it is unpublished: default_backend has the next word", statuses("/fixed") == {"404"})
service.say("unpublish backend fallback", "Backend unpublished.")
check("which may be unpublished, too", statuses("/fixed") == {"503"})
service.say("publish backend fallback; publish backend named", "Backend published. Backend published.")
check("and back", statuses("/fixed") == {"200"})

# ---- replaced workers
for n in range(WORKERS):
    victims = service.workers()
    os.kill(victims[n], signal.SIGKILL)
    until("a killed worker is replaced", lambda: len(service.workers()) == WORKERS and
          victims[n] not in service.workers())
check("replacements have the backends", knows("b1") and knows("r1"))
check("and send to them", statuses("/b1/", 40) == {"200"})

# ---- leaving
service.say("del backend nowhere", "No such backend.")
service.say("del backend b1", "Backend 'b1' is published: 'unpublish backend b1' comes first.")
service.say("unpublish backend b1", "Backend unpublished.")
service.say("del backend b1", "Backend 'b1' still has servers: 'del server' comes first.")
service.say("wait 1m be-removable b1", "Failed: Backend 'b1' still has servers: 'del server' comes first.")
service.say("wait 1m be-removable nowhere", "Failed: No such backend.")
for name, sentence in (("table", "has a stick-table: it cannot be deleted."),
                       ("asked", "is named by the configuration"), ("named", "is named by the configuration")):
    service.ask(f"unpublish backend {name}")
    check(f"del backend {name}: {sentence}", sentence in service.ask(f"del backend {name}"))
service.say("del backend both", "'both' is a listen section: only backends can be deleted.")
service.say("publish backend named", "Backend published.")
service.say("unpublish backend idle; del backend idle", "Backend unpublished. Backend deleted.")
check("one of the files that nothing names goes", nobody_knows("idle"))
service.say("publish backend b1", "Backend published.")
origin.hold = threading.Event()
with connect(service.args.front) as busy:
    busy.sendall(b"GET /b1/busy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    until("a request is on its server", lambda: origin.now == 1)
    service.say("unpublish backend b1; disable server b1/s1", "Backend unpublished.")
    check("the request counts", service.stat("b1", "BACKEND")["scur"] == "1")
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(service.ask(
        "wait 2m srv-removable b1/s1; del server b1/s1; wait 2m be-removable b1; del backend b1")))
    waiting.start()
    until("somebody waits until it can go", lambda: any("GLOBAL" in a for a in all_say("show sess")))
    origin.hold.set()
    check("it is answered", read_all(busy).startswith(b"HTTP/1.1 200"))
    waiting.join(PATIENCE)
check(f"then server and backend go: {answers}", answers and answers[0].split() ==
      "Done. Server deleted. Done. Backend deleted.".split())
until("nobody knows it", lambda: nobody_knows("b1"))
check("no rule finds it", statuses("/b1/") == {"404"})
service.say("add backend b1 from web", "New backend registered.")
check("the name can be used anew, and counts from 0", service.stat("b1", "BACKEND")["stot"] == "0")
service.say("del backend b1", "Backend deleted.")
for name in "r1", "t1":
    service.ask(f"unpublish backend {name}; disable server {name}/s1; wait 1m srv-removable {name}/s1; del server {name}/s1")
for name in "r1", "t1", "m1", "t2":
    service.say(f"del backend {name}", "Backend deleted.")
until("all slots are free again, and that of the file's", lambda: slots() == before - 1)
until("no worker holds on to any", lambda: all(a.split()[-1] == "0" for a in all_say("debug dev slots")))

# ---- workers die in the middle
for command, back in (("add backend k from web", "del backend k"),
                      ("publish backend named", "unpublish backend named")):
    for turn in range(4):
        victims = service.workers()
        answers = []
        asking = threading.Thread(target=lambda: answers.append(service.ask(f"{command}; {back}")))
        asking.start()
        os.kill(victims[turn % WORKERS], signal.SIGKILL)
        asking.join(PATIENCE)
        until("a killed worker is replaced", lambda: len(service.workers()) == WORKERS and
              victims[turn % WORKERS] not in service.workers())
        # the conversation may have been with the one that died
        service.ask("unpublish backend k; del backend k")
check("all have it or none has", nobody_knows("k"))
service.say("publish backend named", "Backend published.")
check("all workers agree", statuses("/fixed", 40) == {"200"})
until("all slots are free again", lambda: slots() == before - 1)
check("the shared memory is sound", sound())
finish()
