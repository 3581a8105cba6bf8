# SPDX-License-Identifier: BSD-2-Clause
"""Members that are cut off, killed, reloaded: see networks.sh."""
import os
import signal
import subprocess
import time

from nodes import HAPROXY, PENSTOCK, Nodes
from service import Service, check, finish, until

service = Service("spaces")
names = ["A", "B", "C"]
nodes = Nodes(names, service.args.dir, programs={"C": HAPROXY or PENSTOCK},
              addresses={name: f"10.88.0.{n + 1}:1024" for n, name in enumerate(names)})
a, b, c = nodes
for node, space in zip(nodes, service.args.spaces.split()):
    node.netns = space


def link(number, state):
    subprocess.run(["ip", "link", "set", f"v{number}", state], check=True)


def all_talk():
    return all(node.talks_to(*[other.name for other in nodes if other is not node]) for node in nodes)


def tables():
    """What stands in the table of each member: key and count."""
    found = []
    for node in nodes:
        rows = [line.split() for line in node.ask("show table b").splitlines()[1:] if line]
        found.append({row[1]: next(word for word in row if word.startswith("gpc0=")) for row in rows})
    return found


def alike(count):
    first, *others = tables()
    return len(first) == count and all(table == first for table in others)


def converges(sentence, count):
    began = time.monotonic()
    until(sentence, lambda: alike(count))
    print(f"        after {(time.monotonic() - began) * 1000:.0f} ms")


def some(node, net, count=20):
    for i in range(count):
        node.set(f"10.{net}.0.{i}", net + i)


for node in nodes:
    if node.program == PENSTOCK:
        node.start(nbproc=2, arguments=("-W", "-S", node.parent))
    else:
        node.start()
until("all talk", all_talk)
for net, node in enumerate(nodes):
    some(node, net + 1)
converges("three members have 60 entries", 60)

link(2, "down")
some(b, 4)
some(a, 5)
some(c, 6)
until("A finds B silent", lambda: a.logged("B is lost: it has been silent") == 1)
until("B finds A silent", lambda: b.logged("A is lost: it has been silent") == 1)
time.sleep(float(os.environ.get("PENSTOCK_CUT_SECONDS", 0)))  # by hand: cut off for longer
link(2, "up")
began = time.monotonic()
until("all talk again", all_talk)
print(f"        after {(time.monotonic() - began) * 1000:.0f} ms")
converges("what each has missed is told", 120)

taught = a.logged("has taught it")
a.process.kill()  # its workers finish by themselves
a.process.wait()
a.start(nbproc=2, arguments=("-W", "-S", a.parent))
began = time.monotonic()
until("A is taught by another one", lambda: a.logged("has taught it") == taught + 1)
print(f"        after {(time.monotonic() - began) * 1000:.0f} ms")
some(b, 7)
converges("A has all again, and what is new", 140)

b.reload()
some(b, 8)
some(c, 9)
converges("B reloads: all have what is new", 180)
until("all talk", all_talk)
c.stop(signal.SIGKILL)
some(a, 10)
c.start()
converges("C is killed and started anew", 200)
for node in a, b:
    check(f"nobody has broken the protocol with {node.name}",
          all(peer["proto_err"] == "0" for peer in node.peers().values()))
if c.program == HAPROXY:
    check("nor with HAProxy", "proto_err=0" in c.ask("show peers") and "proto_err=1" not in c.ask("show peers"))
nodes.end()
finish()
