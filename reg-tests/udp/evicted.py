# SPDX-License-Identifier: BSD-2-Clause
"""See evicted.sh."""

import os
import signal

from datagrams import Client, Server
from service import Service, check, finish, until

service = Service("ports")
front, port_a, port_b = [int(p) for p in service.args.ports.split()]
a, b = Server("a", f"127.0.0.1:{port_a}"), Server("b", f"127.0.0.1:{port_b}")
clients = [Client(f"127.0.0.1:{front}") for _ in range(4)]
names = [c.whom()[0] for c in clients]
mover, longest_silent = clients[names.index("a")], clients[names.index("b")]
for c in clients:
    if c is not longest_silent:
        c.whom()
check("fewer sessions are allowed than there are", service.ask("set maxconn frontend u 1") == "")
a.stop()
# All in one batch. The first two leave as one, of which the server's host says that nobody is
# there: the third goes to the other server, by a session for which others end.
os.kill(service.pid, signal.SIGSTOP)
mine, others = [b"m" * n for n in (100, 100, 150)], [b"o" * n for n in (60, 50, 40)]
for c, pieces in (mover, mine), (longest_silent, others):
    for piece in pieces:
        c.send(piece)
b.got.clear()
os.kill(service.pid, signal.SIGCONT)
check("the datagram goes to the other server", mover.receive().split(b" ", 2)[::2] == [b"b", mine[2]])
until("what others have sent does, too", lambda: sorted(b.got) == sorted(others + mine[2:]))
check("one session is left", service.stat("u", "FRONTEND")["scur"] == "1")
b.stop()
finish()
