# SPDX-License-Identifier: BSD-2-Clause
"""The connections of idle.sh. It measures while a file says that they are idle."""

import os

from frames import INITIAL_WINDOW_SIZE, Client, request, settings, window
from h2_server import H2Server
from service import Service, address, check, finish, until

EACH = 100
svc = Service()
server = H2Server(address(svc.args.back)[1])
silent = [Client(svc.args.front) for _ in range(EACH)]
served = [Client(svc.args.front) for _ in range(EACH)]
waiting = [Client(svc.args.front) for _ in range(EACH)]
reading = [Client(svc.args.front, settings((INITIAL_WINDOW_SIZE, 100))) for _ in range(EACH)]
for c in served:
    c.open(request("/n/10"))
for c in waiting:
    c.open(request("/hold"))
for c in reading:
    c.open(request("/n/300000"))
check("served", all(c.ends(1) and c.ping() for c in served))
check("a piece was read", all(c.wait(lambda f: len(c.body(1)) == 100) and c.ping() for c in reading))
until("the others wait at the server", lambda: len(server.held) == EACH)
check("nothing was said", all(c.ping() for c in silent + waiting))
now = int(svc.info()["CurrConns"])
check(f"hundreds of connections: {now}", now >= 4 * EACH)
open(os.path.join(svc.args.dir, "idle"), "w").close()
until("measured", lambda: os.path.exists(os.path.join(svc.args.dir, "measured")))
server.release()
check("who waited is answered", all(c.ends(1) == (200, b"held") for c in waiting))
for c in silent + served:
    c.next = 3
    c.open(request("/n/5"))
check("who was idle is served", all(c.ends(3)[0] == 200 for c in silent + served))
for c in reading:
    c.send(window(1, 300000) + window(0, 300000))
check("who did not read has the rest", all(len(c.ends(1)[1]) == 300000 for c in reading))
check("no fault of ours", not server.faults)
finish()
