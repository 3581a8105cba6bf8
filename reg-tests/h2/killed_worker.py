# SPDX-License-Identifier: BSD-2-Clause
"""What killed_worker.sh describes."""

import os
import signal

from frames import Client, request
from h2_server import H2Server
from service import Service, address, check, finish, until

EACH = 5
svc = Service()
until("two workers serve", lambda: len(svc.workers()) == 2)
server = H2Server(address(svc.args.back)[1])


def connections_of(worker):
    """Of clients."""
    said = svc.info(through=lambda c: svc.worker(worker, c))
    return int(said["H2FrontendCurrConns"])


for round in range(3):
    clients = []
    while len(clients) < 2 or 0 in (connections_of(1), connections_of(2)):
        clients.append(Client(svc.args.front))
        check("a connection", clients[-1].ping())
        if len(clients) > 50:
            break
    for c in clients:
        for _ in range(EACH if len(clients) < 8 else 1):
            c.open(request("/hold"))
    wanted = sum(c.next // 2 for c in clients)
    until("all streams are at the server", lambda: len(server.held) == wanted)
    victim = svc.workers()[round % 2]
    os.kill(victim, signal.SIGKILL)
    until("its connections to the server end", lambda: len([c for c, _ in server.held if c.gone]) > 0)
    server.release()
    ends = [[c.ends(s) for s in range(1, c.next, 2)] for c in clients]
    whole = sum(all(e == (200, b"held") for e in each) for each in ends)
    gone = sum(all(e is None for e in each) for each in ends)
    check(f"all streams of {whole} connections were answered, none of {gone}",
          whole and gone and whole + gone == len(clients))
    until("a new one is there", lambda: len(svc.workers()) == 2 and victim not in svc.workers())
    for c in clients:
        c.close()
    fresh = [Client(svc.args.front) for _ in range(10)]
    check("new clients are served", all(c.ends(c.open(request("/n/5")))[0] == 200 for c in fresh))
    for c in fresh:
        c.close()
    until("no slot of the server is lost", lambda: svc.stat("be", "s1")["scur"] == "0" and
          svc.stat("be", "BACKEND")["qcur"] == "0" and svc.stat("fe", "FRONTEND")["scur"] == "0")
until("the shared memory is sound", lambda: svc.ask(
    "expert-mode on; debug dev segment").strip() == "The segment is sound.")
finish()
