# SPDX-License-Identifier: BSD-2-Clause
"""Members that verify each other's certificates: see tls.sh."""
import os
import sys

from nodes import HAPROXY, PENSTOCK, Nodes
from service import Service, check, finish, until

service = Service("certs")
certs = service.args.certs


def server(certificate, name="member.example.com"):
    return (f"    default-server ssl crt {certs}/{certificate}.pem verify required "
            f"ca-file {certs}/ca.pem verifyhost {name}\n")


def section(nodes, own, certificate, words=None):
    """`bind' and `server' lines."""
    others = "".join(f"    server {node.name} {nodes.addresses[node.name]}\n" for node in nodes if node.name != own)
    return (f"    bind {nodes.addresses[own]} ssl crt {certs}/{certificate}.pem verify required "
            f"ca-file {certs}/ca.pem\n{words or server(certificate)}    server {own}\n{others}")


def both_verify(program, name):
    path = os.path.join(service.args.dir, name)
    os.mkdir(path)
    nodes = Nodes(["A", "B"], path, programs={"B": program})
    a = nodes["A"].start(nbproc=2, section=section(nodes, "A", "member"))
    b = nodes["B"].start(section=section(nodes, "B", "member"))
    until(f"{name}: they talk", lambda: a.talks_to("B") and b.talks_to("A"))
    check(f"{name}: by TLS", a.peers()["B"]["xprt"] == "SSL")
    for i in range(300):
        a.set(f"10.0.0.{i % 250}", i)
        b.set(f"10.0.1.{i % 250}", i)
    until(f"{name}: all is seen", lambda: all(node.value("10.0.0.49") == 299 and node.value("10.0.1.49") == 299
                                               and node.used() == 500 for node in nodes))
    if program == PENSTOCK:
        old = b.process
        b.start(arguments=("-sf", str(old.pid)), section=section(nodes, "B", "member"))
        until("one that is replaced", lambda: old.poll() is not None)
        until("teaches by TLS, too",
              lambda: b.logged("the process before this one has taught it") == 1 and b.used() == 500)
    nodes.end()


def strangers_stay_out():
    path = os.path.join(service.args.dir, "strangers")
    os.mkdir(path)
    nodes = Nodes(["A", "B"], path)
    a = nodes["A"].start(section=section(nodes, "A", "member"))
    b = nodes["B"].start(section=section(nodes, "B", "other", server("other")))
    until("A does not take B's certificate",
          lambda: a.logged("B cannot be reached: TLS handshake failed") == 1)
    check("it says why", "certificate" in open(a.log).read())
    until("nor does B take A's", lambda: "TLS handshake" in a.ask("show peers"))
    b.set("10.0.0.1", 1)
    check("nothing is told", a.value("10.0.0.1") is None and not a.talks_to("B"))
    b.stop()
    b.start(section=nodes["B"].section())
    until("plain bytes are refused", lambda: b.logged("waiting for its answer: it has closed the connection") == 1)
    check("and nothing is told", not a.talks_to("B") and not b.talks_to("A"))
    b.stop()
    b.start(section=section(nodes, "B", "member", server("member", "another.example.com")))
    until("a wrong name is told", lambda: b.logged("is not for another.example.com") == 1)
    nodes.end()


both_verify(PENSTOCK, "Penstock")
if HAPROXY:
    both_verify(HAPROXY, "HAProxy")
strangers_stay_out()
finish()
