# SPDX-License-Identifier: BSD-2-Clause
"""See flood.sh."""

import socket

from datagrams import Client, Server
from service import Service, check, finish, until

service = Service("ports")
front, back = [int(p) for p in service.args.ports.split()]
server = Server("s", f"127.0.0.1:{back}", ignored=b"forged")


def flood(first, n):
    for i in range(first, first + n):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind((f"127.1.{i // 250}.{i % 250 + 1}", 0))
            s.sendto(b"forged", ("127.0.0.1", front))


def current():
    return int(service.stat("game", "FRONTEND")["scur"])


talking = [Client(f"127.0.0.1:{front}") for _ in range(40)]
silent = [Client(f"127.0.0.1:{front}") for _ in range(60)]
were = [c.whom() for c in talking + silent]
same, fresh = True, 0
for part in range(30):
    flood(part * 100, 100)
    same &= [c.whom() for c in talking] == were[:40]
    c = Client(f"127.0.0.1:{front}")
    fresh += c.whom()[0] == "s"
    c.s.close()
check("a flood of 3000 clients does not touch those who talk", same)
check("... nor keeps new ones out", fresh == 30)
check("... and is bounded", current() <= 300 and len(server.got) > 2000)
check("... nor touches those who are silent, but were answered", [c.whom() for c in silent] == were[40:])
end = service.ask("show sess").count("rp[datagrams=0,")
check(f"... whoever is not answered has the rest of the places ({end})", 100 <= end <= 200)
server.stop()
finish()
