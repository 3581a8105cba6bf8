# SPDX-License-Identifier: BSD-2-Clause
"""What descriptors.sh describes."""

import threading

from frames import Client, request
from h2_server import H2Server
from origin import Origin
from processes import descriptors
from service import Service, address, check, finish, until

svc = Service("h2")
hold = threading.Event()
h1 = Origin(svc.args.back, hold)
h2 = H2Server(address(svc.args.h2)[1], 2)


def fill(path, at_server, release, body):
    """A hundred streams of one connection, each of which is held by the server."""
    c = Client(svc.args.front)
    streams = [c.open(request(path)) for _ in range(100)]

    def settled():
        c.receive(0.05)
        told = [c.status(s) for s in streams]
        return {500, 503} & set(told) and told.count(None) == at_server()

    until(f"{path}: some have no connection to the server, the others are there", settled)
    told = [c.status(s) for s in streams]
    check(f"{descriptors(svc.pid)} of 64 descriptors", descriptors(svc.pid) >= 60)
    check(f"{sum(map(bool, told))} streams have 500 or 503", set(told) <= {None, 500, 503})
    release()
    check(f"{told.count(None)} are answered", all(
        c.ends(s) == (200, body) for s, status in zip(streams, told) if not status))
    seen = c.ends(c.open(request("/2/n/5")))
    check(f"the connection goes on: {seen}", seen and seen[0] == 200)
    c.close()
    until("nothing is left", lambda: svc.stat("fe", "FRONTEND")["scur"] == "0")


fill("/1", lambda: h1.now, hold.set, b"hello")
fill("/2/hold", lambda: len(h2.held), h2.release, b"held")
c = Client(svc.args.front)
check("both are served again", c.ends(c.open(request("/1"))) == (200, b"hello") and
      c.ends(c.open(request("/2/n/5")))[0] == 200)
finish()
