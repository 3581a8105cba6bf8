# SPDX-License-Identifier: BSD-2-Clause
"""See limits.sh."""

from datagrams import Client, Server
from service import Service, check, finish, until

service = Service("ports")
few, line, ten, ten_line, waiting, back = [int(p) for p in service.args.ports.split()]
server = Server("s", f"127.0.0.1:{back}")


def peak(section):
    row = service.stat(section, "FRONTEND")
    return int(row["scur"]), int(row["smax"])


def is_at(limit, now, most):
    """A worker that rises to its share looks at the sum, where another may be making room just
    then."""
    return now == limit and limit - 2 <= most <= limit


for section, port, limit in (("few", few, 3), ("line", line, 3), ("ten", ten, 10), ("tenline", ten_line, 10)):
    clients = [Client(f"127.0.0.1:{port}") for _ in range(90)]
    check(f"{section}: 90 clients are served", all(c.whom()[0] == "s" for c in clients))
    check(f"... with {limit} sessions, as many as there ever were: {peak(section)}",
          is_at(limit, *peak(section)))
check("the limit in force is shown", service.stat("few", "FRONTEND")["slim"] == "3" and
      service.stat("ten", "FRONTEND")["slim"] == "10")
server.answers = 0
clients = [Client(f"127.0.0.1:{waiting}") for _ in range(30)]
for c in clients * 3:
    c.send(b"x")
until("what clients send is with the server", lambda: len(server.late) == 90)
check(f"sessions that wait for answers alone count: {peak('waiting')}", is_at(10, *peak("waiting")) and
      service.ask("show sess").count(" fe=waiting ") == 10)
server.stop()
finish()
