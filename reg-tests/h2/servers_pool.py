# SPDX-License-Identifier: BSD-2-Clause
"""How many connections servers of HTTP/2 see: run by servers_pool.sh."""

import http.client
import threading

from h2_server import H2Server, body_of
from service import PATIENCE, Service, check, finish, until

svc = Service(lambda p: p.add_argument("--server", action="append"))
# A stream a connection, where several connections are wanted at once.
servers = {name: H2Server(int(port), 1 if name == "one" else None) for name, port in (s.split("=") for s in svc.args.server)}


def client():
    return http.client.HTTPConnection(svc.args.front, timeout=PATIENCE)


def ask(to, keep=None, path="/n/5"):
    c = keep or client()
    c.request("GET", path, headers={"X-To": to})
    data = c.getresponse().read()
    if not keep:
        c.close()
    return data


def made(to):
    return len(servers[to].connections)


def two_clients(to):
    """Each asks twice, in turn: connections behind each request."""
    seen = []
    a, b = client(), client()
    for c in a, b, a, b:
        check(f"{to}: an answer", ask(to, c) == body_of(5))
        seen.append(made(to))
    for c in a, b:
        c.close()
    return seen


check("never: each has its own", two_clients("never") == [1, 2, 2, 2])
check("safe: the first request of each is on its own", two_clients("safe") == [1, 2, 2, 2])
check("aggressive: they share", two_clients("aggressive") == [1, 1, 1, 1])
check("always: they share", two_clients("always") == [1, 1, 1, 1])

for n in range(6):
    ask("reuse")
check("max-reuse 1: two requests each", [c.count for c in servers["reuse"].connections] == [2, 2, 2])
for n in range(3):
    ask("none")
    ask("closing")
check("pool-max-conn 0: one request each", [c.count for c in servers["none"].connections] == [1, 1, 1])
until("all are closed", lambda: not servers["none"].open())
check("http-server-close is for HTTP/1", [c.count for c in servers["closing"].connections] == [3])
holding = [threading.Thread(target=ask, args=("one", None, "/hold")) for _ in range(3)]
for t in holding:
    t.start()
until("three requests, each over a connection of its own", lambda: len(servers["one"].held) == 3)
servers["one"].release()
for t in holding:
    t.join()
until("pool-max-conn 1: one of them stays", lambda: len(servers["one"].open()) == 1)
ask("low")
ask("purged")
until("one that nobody needs is closed in time", lambda: not servers["purged"].open())
check("pool-low-conn 1: an older one stays", len(servers["low"].open()) == 1)

few = servers["few"]
threads = [threading.Thread(target=ask, args=("few", None, "/hold")) for _ in range(5)]
for t in threads:
    t.start()
until("maxconn: two requests are there", lambda: len(few.held) == 2)
until("... three wait", lambda: svc.stat("few", "BACKEND")["qcur"] == "3")
check("... and no more", len(few.held) == 2)
while any(t.is_alive() for t in threads):
    few.release()
    threads[0].join(0.01)
    for t in threads:
        t.join(0.01)
check("over one connection or two, never more at once", max(c.most for c in few.connections) <= 2 and
      made("few") <= 2)
check("no fault of ours", not any(s.faults for s in servers.values()))
finish()
