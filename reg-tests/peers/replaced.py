# SPDX-License-Identifier: BSD-2-Clause
"""A HAProxy and a Penstock replace each other by -sf: see replaced.sh."""
import os
import sys

from nodes import HAPROXY, PENSTOCK, Nodes
from service import Service, check, finish, until

service = Service()
if not HAPROXY:
    print("no haproxy here")
    sys.exit(77)


def replaced(name, first, then):
    path = os.path.join(service.args.dir, name.replace(" ", "_"))
    os.mkdir(path)
    nodes = Nodes(["A", "B"], path)
    a = nodes["A"]
    a.program = first
    a.start()
    # It teaches when it has looked for members itself.
    if first == HAPROXY:
        until("it has looked for others for 5 seconds", lambda: "resync_timeout=<PAST>" in a.ask("show peers"))
    else:
        until("it is up to date", lambda: a.logged("up to date") == 1)
    for i in range(200):
        a.set(f"10.0.0.{i}", i + 1)
    a.set("name", 3, table="p/t")
    old = a.process
    a.program = then
    a.start(arguments=("-sf", str(old.pid)))
    until(f"{name}: the old process ends", lambda: old.poll() is not None)
    until(f"{name}: the new one has all", lambda: a.used() == 200 and a.value("10.0.0.199") == 200
          and a.value("name", "p/t") == 3)
    if then == PENSTOCK:
        until("and knows it", lambda: a.logged("the process before this one has taught it") == 1)
    nodes.end()


replaced("by Penstock", HAPROXY, PENSTOCK)
replaced("by HAProxy", PENSTOCK, HAPROXY)
finish()
