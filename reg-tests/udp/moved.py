# SPDX-License-Identifier: BSD-2-Clause
"""See moved.sh."""

import socket

from datagrams import Client, Server
from nameserver import NameServer
from service import PATIENCE, Service, check, finish, until

CLIENTS = 24


def arguments(p):
    p.add_argument("--ports")
    p.add_argument("--names", action="store_true")


service = Service(arguments)
front, single, port_a, port_b, port_new, port_dns, named, port_log, offset = \
    [int(p) for p in service.args.ports.split()]
a = Server("a", f"127.0.0.1:{port_a}")
b = Server("b", f"127.0.0.1:{port_b}")
new = Server("new", f"127.0.0.1:{port_new}")
lines = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
lines.bind(("127.0.0.1", port_log))
lines.settimeout(PATIENCE)


def current(section, server="a"):
    return int(service.stat(section, server)["scur"])


def move(section, port):
    """port: a number, or "+N", "-N": behind the client's."""
    said = service.ask(f"set server {section}/a addr 127.0.0.1 port {port}")
    check(f"set server {section}/a: {said}", "port changed from" in said)


clients = [Client(f"127.0.0.1:{front}") for _ in range(CLIENTS)]
were = [c.whom() for c in clients]
check("clients are spread over servers", {name for name, _ in were} == {"a", "b"})
check("... and over workers",
      all(" fe=moved " in service.worker(n, "show sess") for n in (1, 2, 3)))
move("moved", port_new)
now = [c.whom() for c in clients]
check("the next datagram of each client of the server goes to its new address",
      all(n[0] == ("new" if w[0] == "a" else "b") for w, n in zip(were, now)))
check("... and other servers' clients stay", all(n == w for w, n in zip(were, now) if w[0] == "b"))
check("... with one session each",
      current("moved") + current("moved", "b") == CLIENTS and [c.whom() for c in clients] == now)
gone = []
while len(gone) < sum(name == "a" for name, _ in were):
    line = lines.recv(2000).decode()
    if " moved/a " in line and " D- " in line:
        gone.append(line)
check("a session that ends by that has its line: " + gone[0].split("]: ")[-1].strip(), True)
service.ask(f"set server moved/a addr 127.0.0.1 port {port_new}")
check("an address that is the same changes nothing", [c.whom() for c in clients] == now)

# -- answers under way
mine = [c for c, n in zip(clients, now) if n[0] == "new"]
new.answers = 0
for c in mine:
    c.send(b"asked before")
until("the server has what clients ask", lambda: len(new.late) == len(mine))
move("moved", port_a)
check("clients come to the next address while they wait for answers of the last one",
      all(c.whom(b"asked behind")[0] == "a" for c in mine))
check("... by other sessions, beside those that wait", current("moved") == 2 * len(mine))
new.answer_late()
check("answers of the last address come to their clients",
      all(c.receive().split(b" ", 2)[::2] == [b"new", b"asked before"] for c in mine))
check("... who stay at the next one", all(c.whom()[0] == "a" for c in mine))
new.answers = 1

# -- a server with room for a single session
c = Client(f"127.0.0.1:{single}")
check("maxconn 1: a client comes", c.whom()[0] == "a")
a.answers = 0
c.send(b"unanswered")
until("... and waits for an answer", lambda: a.late)
a.answers = 1
move("single", port_new)
check("... it comes to the new address all the same", c.whom()[0] == "new" and current("single") == 1)

# -- a port that follows the client's
c = Client(f"127.0.0.1:{offset}")
check("a port as an offset: a client comes", c.whom()[0] == "a")
for port, name in (f"{port_new - offset:+d}", "new"), (f"{port_a - offset:+d}", "a"), (port_new, "new"), \
        (f"{port_new - offset:+d}", "new"):
    was = c.whom()
    move("offset", port)
    now = c.whom()
    check(f"... its next datagram goes to {name}, at port {port}", now[0] == name)
check("... and what says the same port otherwise changes no session", now == was)

# -- names
if service.args.names:
    there = Server("there", f"127.0.0.2:{port_a}")
    ns = NameServer({"s.test": ["127.0.0.1"], "x.test": ["127.0.0.1"]}, port=port_dns, ttl=0)
    workers = [(n, lambda n=n: service.worker(n, "show servers state named")) for n in (1, 2, 3)]
    for n, servers in workers:
        until(f"worker {n} has an address", lambda servers=servers: " 127.0.0.1 " in servers())
    clients = [Client(f"127.0.0.1:{named}") for _ in range(CLIENTS)]
    check("clients come to it", {c.whom()[0] for c in clients} == {"a"})
    ns.zone["s.test"] = ["127.0.0.2"]
    for n, servers in workers:
        until(f"worker {n} has another one", lambda servers=servers: " 127.0.0.2 " in servers())
    check("... to which they go on with their next datagram", {c.whom()[0] for c in clients} == {"there"})
    service.ask("set server named/s fqdn x.test")
    for n, servers in workers:
        until(f"worker {n} has that of another name", lambda servers=servers: " 127.0.0.1 " in servers())
    check("... to which they go on, too", {c.whom()[0] for c in clients} == {"a"})
    there.stop()

# -- a server that is removed
clients = [Client(f"127.0.0.1:{front}") for _ in range(CLIENTS)]
theirs = [c for c in clients if c.whom()[0] == "b"]
check("some clients have the other server", len(theirs) > 4)
service.ask("set server moved/b state maint")
service.ask("shutdown sessions server moved/b")
service.ask("wait 20s srv-removable moved/b")
said = service.ask("del server moved/b")
check(f"del server: {said}", "deleted" in said)
check("... whose clients are served by others", {c.whom()[0] for c in theirs} == {"a"})
for s in a, b, new:
    s.stop()
finish()
