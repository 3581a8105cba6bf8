# SPDX-License-Identifier: BSD-2-Clause
"""What full_of_idle.sh describes."""

import threading

from frames import Client, request
from origin import Origin
from processes import descriptors
from service import Service, check, finish, until

svc = Service("other")
hold = threading.Event()
be = Origin(svc.args.back, hold)
other = Origin(svc.args.other)


c = Client(svc.args.front)
streams = [c.open(request("/be")) for _ in range(100)]


def settled():
    c.receive(0.05)
    return 500 in map(c.status, streams) and [c.status(s) for s in streams].count(None) == be.now


until("there is no descriptor for some", settled)
kept = be.now
full = descriptors(svc.pid)
hold.set()
check("all streams end", all(c.ends(s) for s in streams))
check(f"{descriptors(svc.pid)} of 64 descriptors, {full} before", descriptors(svc.pid) >= 60)
for n in range(3):
    seen = [c.ends(c.open(request(path))) for path in ("/other", "/be")]
    check(f"another server, and the first again: {seen}", seen == [(200, b"hello")] * 2)
streams = [c.open(request("/other")) for _ in range(20)]
seen = [c.ends(s) for s in streams]
check("20 at once", seen == [(200, b"hello")] * 20)
check(f"{be.connections} connections to the first server, {kept} were kept",
      be.connections == kept)
finish()
