# SPDX-License-Identifier: BSD-2-Clause
"""See balance.sh."""

import os
import signal
from collections import Counter

from datagrams import Client, Server
from service import Service, check, finish, until

service = Service("ports")
ports = [int(p) for p in service.args.ports.split()]
servers = {name: Server(name, f"127.0.0.1:{port}") for name, port in zip("abc", ports)}
front = dict(zip(["static-rr", "roundrobin", "leastconn", "first", "random", "source", "payload", "bounded", "backup",
                  "sharded", "eager", "modest"], ports[3:]))
held = []


def new(section, data=b"x", source=None):
    """The server that a new client gets; None: nobody answers."""
    client = Client(("127.0.0.1", front[section]), source)
    held.append(client)  # its port is nobody else's
    return client.whom(data)[0]


def forget(section):
    """Ends all sessions."""
    for name in servers:
        service.ask(f"shutdown sessions server {section}/{name}")


# -- algorithms
for section in "static-rr", "roundrobin":
    got = Counter(new(section) for _ in range(50))
    check(f"{section}: three of five sessions for weight 3: {dict(got)}", got == {"a": 30, "b": 10, "c": 10})
service.ask("set weight roundrobin/a 1")
got = Counter(new("roundrobin") for _ in range(30))
check(f"... and as many as the others for weight 1: {dict(got)}", all(9 <= n <= 11 for n in got.values()))
got = Counter(new("leastconn") for _ in range(30))
check(f"leastconn: as many sessions everywhere: {dict(got)}", got == {"a": 10, "b": 10, "c": 10})
service.ask("shutdown sessions server leastconn/b")
check("... and who has the fewest gets all", {new("leastconn") for _ in range(9)} == {"b"})
got = [new("first") for _ in range(6)]
check(f"first: the first one as far as its maxconn: {got}", got == ["a"] * 4 + ["b"] * 2)
service.ask("shutdown sessions server first/a")
check("... and again when it has room", new("first") == "a")
got = Counter(new("random") for _ in range(60))
check(f"random: everybody gets some: {dict(got)}", len(got) == 3)

# -- affinity
sources = [f"127.0.3.{i}" for i in range(1, 61)]


def by_source():
    forget("source")
    return {source: new("source", source=source) for source in sources}


def by_payload():
    forget("payload")
    return {i: new("payload", b"%02d and more" % i) for i in range(60)}


for section, place in ("source", by_source), ("payload", by_payload):
    were = place()
    check(f"{section}: all servers have some of 60: {dict(Counter(were.values()))}", len(set(were.values())) == 3)
    check("... the same ones again", place() == were)
    service.ask(f"disable server {section}/b")
    now = place()
    check("... without a server its own alone go elsewhere",
          all(now[k] == were[k] for k in were if were[k] != "b") and "b" not in now.values())
    service.ask(f"enable server {section}/b")
    check("... and back when it is there again", place() == were)
check("another client with the same first bytes comes to the same server",
      {new("payload", b"07%d" % i) for i in range(20)} == {were[7]})
got = Counter(new("bounded", b"same") for _ in range(30))
check(f"hash-balance-factor: one server gets no more than half of what is alike: {dict(got)}",
      max(got.values()) <= 16 and len(got) >= 2)

# -- full servers, backups
check("a server takes maxconn sessions", [new("backup") for _ in range(2)] == ["a", "a"])
client = Client(("127.0.0.1", front["backup"]))
client.send(b"too many")
check("... and no more: a backup is not for that", client.silent() and
      service.stat("backup", "a")["scur"] == "2" and service.stat("backup", "b")["stot"] == "0")
check("... which is counted", int(service.stat("backup", "BACKEND")["econ"]) == 1)
service.ask("disable server backup/a")
check("it is for servers that are gone", client.whom()[0] == "b")
service.ask("shutdown sessions server backup/a")
service.ask("enable server backup/a")
check("... and those who have it keep it", client.whom()[0] == "b" and new("backup") == "a")

# -- sockets of a line
with open("/proc/net/udp") as f:
    sockets = sum(line.split()[1].endswith(f":{front['sharded']:04X}") for line in f.readlines()[1:])
check("shards 4: an address has four sockets", sockets == 4)
check("... all of which are served", all(new("sharded") for _ in range(60)))
flood = [Client(("127.0.0.1", front[name])) for name in ("modest", "eager")]
for client in flood:
    client.ask()  # their sessions stand
before = len(servers["a"].got)
os.kill(service.pid, signal.SIGSTOP)


def state():
    with open(f"/proc/{service.pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


until("the process stands still", lambda: state() == "T")
for _ in range(180):
    for client, data in zip(flood, (b"modest", b"eager")):
        client.send(data)
os.kill(service.pid, signal.SIGCONT)
until("all have arrived", lambda: len(servers["a"].got) == before + 360)
order = servers["a"].got[before:]
between = order[:len(order) - order[::-1].index(b"eager")].count(b"modest")
check(f"nice 1024: one batch, while nice -1024 has all of its own pass: {between} in between", 0 < between <= 64)
check("... each of both in the end", Counter(order) == {b"eager": 180, b"modest": 180})
finish()
