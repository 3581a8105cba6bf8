# SPDX-License-Identifier: BSD-2-Clause
"""What a HAProxy was told, and has told, is not told again: see resumed.sh."""
import os
import re

from nodes import HAPROXY, Nodes
from service import Service, check, finish, until

COUNT = 50

service = Service()
nodes = Nodes(["A", "B"], service.args.dir, programs={"B": os.environ.get("OTHER", HAPROXY)})


def acknowledged(node):
    """The number of the last change of the table b that the other side has acknowledged."""
    for line in re.split(r"\n(?=\s+0x)", node.ask("show peers")):
        found = re.search(r"last_acked=(\d+)", line)
        if found and int(found[1]):
            return int(found[1])
    return 0


b = nodes["B"].start()
for i in range(COUNT):
    b.set(f"10.0.0.{i}", i + 1)
until("B asks nobody any more", lambda: "resync_timeout=<PAST>" in b.ask("show peers"))
a = nodes["A"].start(arguments=("-W", "-S", os.path.join(service.args.dir, "A", "parent")))
until("A has what B has", lambda: a.used() == COUNT)
for i in range(COUNT):
    a.set(f"10.1.0.{i}", i + 1)
until("B has what A has", lambda: b.used() == 2 * COUNT)
until("B knows what A has", lambda: acknowledged(b) == COUNT)
until("A knows what B has", lambda: acknowledged(a) == COUNT)
a.reload()
until("the next generation talks", lambda: a.talks_to("B") and a.peers()["B"]["rx_upd"] == "0")
b.set("10.9.0.1", 1)
until("a change of B arrives", lambda: a.value("10.9.0.1") == 1)
a.set("10.9.0.2", 2)
until("a change of A arrives", lambda: b.value("10.9.0.2") == 2)
fields = a.peers()["B"]
check(f"B has told {fields['rx_upd']} entry", fields["rx_upd"] == "1")
# The first one behind a restart is told twice: once to the end of a walk.
check(f"A has told {fields['tx_upd']}", int(fields["tx_upd"]) <= 2)
check("nothing was wrong", fields["proto_err"] == "0" and b.peers()["A"]["proto_err"] == "0")
nodes.end()
finish()
