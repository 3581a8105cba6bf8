# SPDX-License-Identifier: BSD-2-Clause
"""What is changed on one member is seen on the others: see members.sh."""
import re
import time

from nodes import Nodes
from service import Service, check, finish, until

service = Service()


def exchange():
    nodes = Nodes(["A", "B"], service.folder("exchange"))
    a, b = nodes["A"].start(nbproc=2), nodes["B"].start(nbproc=2)
    until("A and B talk", lambda: a.talks_to("B") and b.talks_to("A"))
    for node, other, net in (a, b, 1), (b, a, 2):
        for i in range(20):  # a connection to the stats socket is any worker's
            node.set(f"10.0.{net}.{i}", 100 + i)
        until(f"20 changes on {node.name} are seen on {other.name}",
              lambda: all(other.value(f"10.0.{net}.{i}") == 100 + i for i in range(20)))
    a.set("name", 5, table="p/t")
    until("a table of the section", lambda: b.value("name", "p/t") == 5)
    took = []
    for i in range(30):
        a.set("10.9.9.9", i)
        began = time.monotonic()
        while b.value("10.9.9.9") != i and time.monotonic() < began + 30:
            pass
        took.append((time.monotonic() - began) * 1000)
    took.sort()
    print(f"a change is seen on the other after {took[15]:.1f} ms (median), {took[-1]:.1f} ms at the most,"
          " commands on the stats socket included")
    until("show info counts one peer", lambda:
          all(re.search(rf"^{name}: 1$", a.ask("show info"), re.M) for name in ("ActivePeers", "ConnectedPeers")))
    fields = b.peers()["A"]
    check("nothing was wrong", fields["proto_err"] == "0" and fields["ignored"] == "0")
    check("show peers of an unknown section", a.ask("show peers x") == "No such peers")
    check("show peers of the section", len(re.findall(r" id=", a.ask("show peers - p"))) == 3)
    until("one line tells that B is connected", lambda: a.logged("Peers p: B is connected") == 1)
    check("and no more than that", a.logged("Peers p: ") <= 3)
    nodes.end()


def forms():
    """`bind' and `server'; a listening address that `default-bind' describes."""
    nodes = Nodes(["A", "B", "C"], service.folder("forms"))
    addresses = nodes.addresses
    def section(own):
        others = "".join(f"    server {name} {addresses[name]}\n" for name in addresses if name != own)
        return f"    bind {addresses[own]} name here\n    server {own}\n{others}"
    a = nodes["A"].start(section=section("A"), more="    tune.peers.max-updates-at-once 1\n")
    b = nodes["B"].start(section="    default-bind backlog 5\n" + nodes["B"].section())
    c = nodes["C"].start(section=section("C") + "    log global\n")
    until("all talk", lambda: a.talks_to("B", "C") and b.talks_to("A", "C") and c.talks_to("A", "B"))
    for i in range(10):
        a.set(f"10.1.0.{i}", i + 1)
    until("ten entries, one a turn",
          lambda: all(node.value(f"10.1.0.{i}") == i + 1 for i in range(10) for node in (b, c)))
    b.set("10.1.1.1", 3)
    nodes.until_all("all have a change of B", "10.1.1.1", 3)
    nodes.end()


def disabled():
    nodes = Nodes(["A", "B"], service.folder("disabled"))
    a = nodes["A"].start(section="    disabled\n" + nodes["A"].section())
    b = nodes["B"].start()
    until("B is told once that A is away", lambda: b.logged("A cannot be reached") == 1)
    a.set("10.0.0.1", 4)
    check("the table works", a.value("10.0.0.1") == 4)
    check("nobody is told", b.value("10.0.0.1") is None and b.status("A") == "CONN")
    check("show peers says so", "disabled=1" in a.ask("show peers"))
    a.stop()
    a.start(section="    disabled\n" + nodes["A"].section() + "    enabled\n")
    until("enabled again", lambda: a.talks_to("B"))
    a.stop()
    a.start(section=f"    peer other 127.0.0.1:1\n")
    check("a section without this host is not used",
          a.logged("is not used") == 1 and a.status("other") == "NONE")
    nodes.end()


def shards():
    nodes = Nodes(["A", "B", "C"], service.folder("shards"))
    sharded = nodes["A"].section().replace(nodes.addresses["B"], nodes.addresses["B"] + " shard 1") \
        .replace(nodes.addresses["C"], nodes.addresses["C"] + " shard 2")
    a = nodes["A"].start(section="    shards 2\n" + sharded)
    b, c = nodes["B"].start(), nodes["C"].start()
    until("A talks to both", lambda: a.talks_to("B", "C"))
    for i in range(100):
        a.set(f"10.3.0.{i}", 1)
    until("B and C have all of A's together", lambda: b.used() + c.used() == 100)
    check("each has some", b.used() > 20 and c.used() > 20)
    check("none has another's", not any(b.value(f"10.3.0.{i}") and c.value(f"10.3.0.{i}") for i in range(100)))
    nodes.end()


def comes_and_goes():
    """A member that is started again and again makes no storm of lines."""
    nodes = Nodes(["A", "B"], service.folder("comes"))
    a, b = nodes["A"].start(), nodes["B"]
    for i in range(8):
        b.start()
        until(f"B comes, time {i + 1}", lambda: a.talks_to("B"))
        b.stop()
        until("B goes", lambda: not a.talks_to("B"))
    with open(a.log) as f:
        lines = sum("Peers p: B" in line for line in f)
    check(f"{lines} lines tell of that", lines <= 5)
    nodes.end()


exchange()
comes_and_goes()
forms()
disabled()
shards()
finish()
