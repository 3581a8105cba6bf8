# SPDX-License-Identifier: BSD-2-Clause
"""See rows.sh."""

import os
import socket
import struct

from datagrams import Client, Server, send_row
from service import Service, check, finish, until

service = Service("ports")
front, small, few, proxied, back = [int(p) for p in service.args.ports.split()]
server = Server("a", f"127.0.0.1:{back}", raw=True)
SIZES = [(3, 1), (100, 9), (100, 64), (1400, 30), (1472, 44), (1, 64), (2000, 20)]


def pieces(size, count, last):
    whole = [(b"%d " % i * size)[:size] for i in range(count)]
    return whole + ([(b"end" * size)[:last]] if last else [])


def received(client, count):
    return [client.receive() for _ in range(count)]


for host in "127.0.0.1", "::1":
    client = Client((host, front))
    for size, count in SIZES:
        for last in {0, size // 2}:
            sent = pieces(size, min(count, 60000 // size), last)
            before = len(server.got)
            send_row(client.s, sent, size, client.to)
            got = received(client, len(sent))
            check(f"a row of {len(sent)} datagrams of {size} bytes, the last one of {len(sent[-1])}: "
                  f"there and back from {host}", got == sent and server.got[before:] == sent)
    server.row = 20
    for size in 5, 300, 1400:
        client.send(b"x" * size)
        check(f"a row of 20 answers of {size} bytes to {host}", received(client, 20) == [b"x" * size] * 20)
    server.row = 0
count = int(service.stat("plain", "FRONTEND")["bin"])
send_row(client.s, [b"1234", b"5678", b"9"], 4, client.to)
received(client, 3)
check("bytes are counted", int(service.stat("plain", "FRONTEND")["bin"]) == count + 9)
all_sent = 3 + 3 + sum(len(pieces(s, min(c, 60000 // s), last)) for s, c in SIZES for last in {0, s // 2})
all_got = 3 * 20 + all_sent - 3
shown = next(line for line in service.ask("show sess").splitlines() if "src=::1:" in line)
check(f"... and datagrams: {shown}", f"rq[datagrams={all_sent}," in shown and f"rp[datagrams={all_got}," in shown)

# -- limits cut through rows
client = Client(("127.0.0.1", small))
send_row(client.s, [b"a" * 600] * 5 + [b"b" * 100], 600, client.to)
check("what is larger than accepted-payload-size is dropped out of a row", client.receive() == b"b" * 100)
check("... and counted", service.stat("small", "FRONTEND")["dreq"] == "5")
server.row = 3
client.send(b"c" * 400)
check("rows of answers pass below it", received(client, 3) == [b"c" * 400] * 3)
server.row = 0
client = Client(("127.0.0.1", few))
sessions = int(service.stat("few", "FRONTEND")["stot"])
send_row(client.s, [b"%d" % i for i in range(9)], 1, client.to)
check("proxy-requests counts each datagram of a row", sorted(received(client, 9)) == [b"%d" % i for i in range(9)])
check("... so that three sessions have it", int(service.stat("few", "FRONTEND")["stot"]) == sessions + 3)

# -- headers
client = Client(("127.0.0.1", proxied), "127.0.0.1")
sent = pieces(200, 12, 7)
send_row(client.s, sent, 200, client.to)
got = received(client, len(sent))
check("each datagram of a row has its PROXY header",
      [g[28:] for g in got] == sent and len({g[:28] for g in got}) == 1 and got[0].startswith(b"\r\n\r\n\0\r\nQUIT\n"))

# -- a reload in between, with a successor that takes the socket over
if os.environ.get("NBPROC"):
    client = Client(("127.0.0.1", front))
    client.ask()
    service.parent("reload")
    until("the old worker has its sessions", lambda: len(service.old_workers()) == 1)
    other = Client(("127.0.0.1", front))
    for c in client, other:
        sent = pieces(500, 20, 3)
        send_row(c.s, sent, 500, c.to)
        check("rows pass behind a reload", received(c, len(sent)) == sent)
    with open(service.cfg) as f:
        text = f.read()
    with open(service.cfg, "w") as f:
        f.write(text.replace("udp-lb plain\n", "udp-lb plain\n\tproxy-requests 3\n"))
    service.parent("reload")
    until("... a second one, with proxy-requests", lambda: len(service.old_workers()) == 2)
    last = Client(("127.0.0.1", front))
    sessions = int(service.stat("plain", "FRONTEND")["stot"])
    send_row(last.s, [b"%d" % i for i in range(9)], 1, last.to)
    check("a row that a socket gathers from before is cut through as well",
          sorted(received(last, 9)) == [b"%d" % i for i in range(9)] and
          int(service.stat("plain", "FRONTEND")["stot"]) == sessions + 3)
finish()
