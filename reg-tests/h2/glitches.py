# SPDX-License-Identifier: BSD-2-Clause
"""A client and a server that answer PINGs which nobody has said: run by glitches.sh."""

import http.client

from frames import ACK, HEADERS, PING, Client, frame, read_block, request
from h2_server import H2Server
from service import PATIENCE, Service, address, check, finish

svc = Service(lambda p: None)
server = H2Server(address(svc.args.back)[1])


def head(c, path):
    stream = c.open(request(path))
    return dict(read_block(c.wait(lambda f: f.stream == stream and f.kind == HEADERS).payload))


def pings(c, n):
    c.send(frame(PING, ACK, 0, b"oddities") * n)


c = Client(svc.args.front)
got = head(c, "/n/4")
check(f"none: {got}", got["x-fc"] == "0" and got["x-bc"] == "0" and server.asked[-1].headers[b"x-fc"] == b"0")
pings(c, 3)
got = head(c, "/n/5")
check(f"three of the client: {got}", got["x-fc"] == "3" and server.asked[-1].headers[b"x-fc"] == b"3")
pings(c, 8)
check("rules act upon them", head(c, "/n/6")[":status"] == "429")
c.close()

h1 = http.client.HTTPConnection(svc.args.front, timeout=PATIENCE)
h1.request("GET", "/pings/4")
r = h1.getresponse()
r.read()
check("four of the server, none of HTTP/1", r.getheader("x-bc") == "4" and r.getheader("x-fc") is None)
check("of which the server hears nothing", server.asked[-1].headers.get(b"x-fc") == b"")
finish()
