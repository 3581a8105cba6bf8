# SPDX-License-Identifier: BSD-2-Clause
"""See rights.sh."""

from datagrams import Client, Server
from service import Service, check, finish, until

service = Service("server")
server = Server("a", "127.0.0.1:" + service.args.server)


def twenty_each():
    return [Client(f"127.0.0.1:{port}") for port in (700, 701) for _ in range(20)]


clients = twenty_each()
were = [c.whom() for c in clients]
for n in 1, 2:
    service.parent("reload")
    until("the old workers have their sessions", lambda: len(service.old_workers()) == 2)
    check("... and keep them", [c.whom() for c in clients] == were)
fresh = twenty_each()
new = [c.whom() for c in fresh]
check("new clients are served", [c.whom() for c in fresh] == new)
check("nothing went wrong", not service.logged("for which there was no socket"))
finish()
