# SPDX-License-Identifier: BSD-2-Clause
"""See waiting.sh."""

from datagrams import Client, Server
from service import Service, check, finish, until

service = Service("ports")
front, back = [int(p) for p in service.args.ports.split()]
server = Server("s", f"127.0.0.1:{back}", answers=0)


def shown():
    """The lines of the section's sessions, by id."""
    lines = service.ask("show sess").splitlines()
    return {line.split(":")[0]: line for line in lines if " fe=one " in line}


def current():
    return int(service.stat("one", "FRONTEND")["scur"])


def asks(clients, times):
    before = len(server.got)
    for _ in range(times):
        for c in clients:
            c.send(b"x")
    until("what clients send is with the server",
          lambda: len(server.got) == before + times * len(clients))


clients = [Client(f"127.0.0.1:{front}") for _ in range(5)]
asks(clients[:1], 5)
lines = shown()
mine = f" src=127.0.0.1:{clients[0].s.getsockname()[1]} "
check("show sess has a line for each session of a client that waits",
      current() == 5 and len(lines) == 5 and all(mine in line for line in lines.values()))
check("... with what it has sent, and the time left",
      all("rq[datagrams=1,bytes=1]" in line and "exp=" in line for line in lines.values()))
first = sorted(lines)[2]
check("show sess with an id has this one", service.ask(f"show sess {first}").split(":")[0] == first)
service.ask(f"shutdown session {first}")
check("shutdown session ends this one", current() == 4 and sorted(shown()) == sorted(set(lines) - {first}))
asks(clients, 20)
check("show sess has all of many clients", current() == 104 and len(shown()) == 104)
server.answers = 1
late = Client(f"127.0.0.1:{front}")
check("an answer comes to its client beside them", late.whom()[0] == "s")
service.ask("shutdown sessions server one/s")
until("shutdown sessions server ends all, of each worker", lambda: current() == 0 and not shown())
server.stop()
finish()
