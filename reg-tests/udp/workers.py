# SPDX-License-Identifier: BSD-2-Clause
"""See workers.sh."""

import os
import random
import signal
import socket
import threading
import time

from datagrams import Client, Server
from service import Service, check, finish, until

CLIENTS = 150

service = Service("ports")
front, port_a, port_b = [int(p) for p in service.args.ports.split()]
a = Server("a", f"127.0.0.1:{port_a}")
b = Server("b", f"127.0.0.1:{port_b}")
to = f"127.0.0.1:{front}"


def reload():
    said = service.parent("reload")
    check("a reload", "Success=1" in said or "Success" in said)


def current():
    return int(service.stat("dns", "FRONTEND")["scur"])


clients = [Client(to) for _ in range(CLIENTS)]
were = [c.whom() for c in clients]
check("each client has one session", current() == CLIENTS and len({p for _, p in were}) == CLIENTS)
shares = [sum(" fe=dns " in line for line in service.worker(n, "show sess").splitlines())
          for n in (1, 2, 3)]
check(f"all workers have some of them: {shares}", sum(shares) == CLIENTS and min(shares) > CLIENTS / 8)
check("... and keep them", [c.whom() for c in clients] == were and current() == CLIENTS)
check("balanced over the servers by all workers together",
      abs(sum(n == "a" for n, _ in were) - CLIENTS / 2) <= 3)
check("show sess without a worker's name has all",
      sum(" fe=dns " in line for line in service.ask("show sess").splitlines()) == CLIENTS)

# -- many at once, each with a number: no more than the smallest buffers of the system hold
good = True
for wave in range(0, CLIENTS, 15):
    some = list(zip(clients, were))[wave:wave + 15]
    for c, _ in some:
        for i in range(8):
            c.send(b"%d" % i)
    for c, was in some:
        for i in range(8):
            name, port, n = c.receive().split()
            good &= (name.decode(), int(port)) == was and int(n) == i
check("none of 1200 datagrams is lost, doubled, mixed or out of order", good)
check("... and no more come", clients[0].silent() and clients[-1].silent())

# -- reloads under traffic
stop = threading.Event()
wrong = []
asked = [0]


def traffic():
    while not stop.is_set():
        c = random.randrange(CLIENTS // 2)  # the others are silent meanwhile
        if clients[c].whom(b"%d" % c) != were[c]:
            wrong.append(c)
        asked[0] += 1


thread = threading.Thread(target=traffic)
thread.start()
old = service.workers()
reload()
until("the old workers have their sessions still", lambda: len(service.old_workers()) == 3)
count = asked[0]
until("traffic goes on", lambda: asked[0] > count + 50)
stop.set()
thread.join()
check("a reload changes no session of those who send meanwhile", not wrong)
check("... nor of those who are silent", [c.whom() for c in clients] == were)
fresh = [Client(to) for _ in range(60)]
new = [c.whom() for c in fresh]
check("new clients are served", all(n in "ab" for n, _ in new) and [c.whom() for c in fresh] == new)
shown = service.ask("show sess")
check("... by new workers alone",
      sum(f"src=127.0.0.1:{c.s.getsockname()[1]} " in shown for c in fresh) == len(fresh) and
      service.workers() != old)
reload()
until("a second reload: both generations have their sessions", lambda: len(service.old_workers()) == 6)
check("... and both keep them", [c.whom() for c in clients] == were and [c.whom() for c in fresh] == new)
newest = [Client(to) for _ in range(60)]
last = [c.whom() for c in newest]
check("... beside a third one", [c.whom() for c in newest] == last)

# -- killed
os.kill(service.workers()[0], signal.SIGKILL)
until("a worker that was killed is replaced", lambda: service.stat("dns", "FRONTEND") and
      len(service.workers()) == 3 and service.worker(1, "show info"))
lost = sum(c.whom() != was for c, was in zip(newest, last))
check(f"... and its clients get new sessions ({lost} of 60), the others have theirs", 0 < lost < 60)
check("old sessions did not notice", [c.whom() for c in clients] == were)
for pid in service.old_workers():
    os.kill(pid, signal.SIGTERM)
until("old workers end", lambda: not service.old_workers())
check("... and their clients get new sessions", all(c.whom()[0] in "ab" for c in clients))
finish()
