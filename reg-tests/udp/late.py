# SPDX-License-Identifier: BSD-2-Clause
"""See late.sh."""

import time

from datagrams import Client, Server
from service import Service, check, finish, until

QUIET = 0.6  # seconds within which the port of a session that has ended is nobody's for certain


def arguments(p):
    p.add_argument("--ports")


service = Service(arguments)
front, port = [int(p) for p in service.args.ports.split()]
server = Server("a", f"127.0.0.1:{port}")


def late_port():
    """The port of a client who has got no answer, and when its session has ended at the
    earliest."""
    server.answers = 0
    Client(f"127.0.0.1:{front}").send(b"asked")
    until("the server is asked", lambda: server.late)
    begin = time.monotonic()
    until("the session ends", lambda: service.stat("u", "a")["scur"] == "0")
    server.answers = 1
    return server.late[-1][1][1], begin


def ports(count):
    return {Client(f"127.0.0.1:{front}").whom()[1] for _ in range(count)}


for _ in range(20):
    late, begin = late_port()
    used = ports(8)
    victim = Client(f"127.0.0.1:{front}")
    server.answers = 0
    victim.send(b"victim")
    until("the victim asks", lambda: server.late[-1][0].endswith(b"victim"))
    mine = server.late.pop()
    server.answer_late()
    server.late.append(mine)
    server.answer_late()
    said = victim.receive()
    server.answers = 1
    if time.monotonic() - begin < QUIET:
        break
    server.late.clear()
check(f"the port of the late answer is nobody's: {late}, {sorted(used)}", late not in used and len(used) == 3)
check(f"the next client gets its own answer: {said}", said.endswith(b"victim"))
until("the port is used again later", lambda: late in ports(4))
for _ in range(4):
    late_port()
check("ports that rest are taken where there are no others", ports(1))
finish()
