# SPDX-License-Identifier: BSD-2-Clause
"""Which protocol servers are spoken to over TLS: run by servers_tls.sh."""

import http.client

from h2_server import H2Server, body_of
from service import PATIENCE, Service, address, check, connect, finish, until


def options(p):
    for name in "h1", "told", "asked", "pem":
        p.add_argument("--" + name)


svc = Service(options)
port = address(svc.args.back)[1]
server = H2Server(port, alpn=["h2", "http/1.1"], pem=svc.args.pem)
old = H2Server(address(svc.args.h1)[1], alpn=["http/1.1"], pem=svc.args.pem)
asked = H2Server(address(svc.args.asked)[1], alpn=["h2", "http/1.1"], pem=svc.args.pem)
told = H2Server(address(svc.args.told)[1], proxy=True)


def ask(to, path="/n/5", host="www.example.com", keep=None):
    c = keep or http.client.HTTPConnection(svc.args.front, timeout=PATIENCE)
    c.request("GET", path, headers={"Host": host, "X-To": to})
    r = c.getresponse()
    data = r.read()
    if not keep:
        c.close()
    return r.status, data, r.getheader("x-spoken")


until("checks of such a server speak HTTP/2, too", lambda: svc.stat("asked", "s")["check_status"] == "L7OK" and
      any(r.path == "/n/5" for r in asked.asked))
check("by ALPN", ask("either") == (200, body_of(5), f"2 h2 {port}"))
check("again, over the same connection", ask("either", "/n/1000000")[1] == body_of(1000000) and
      len(server.connections) == 1)
check("... which asked for the name", "www.example.com" in server.names)
check("a scheme", server.asked[-1].headers[b":scheme"] == b"https")
check("another name, which the certificate is not for: no answer", ask("either", host="x.org")[0] == 503)
check("... nor another's connection", len(server.connections) == 1 and "x.org" in server.names)
check("HTTP/1 where the server chooses it",
      ask("chosen_h1")[1:] == (b"h1", f"1 http/1.1 {address(svc.args.h1)[1]}"))
check("proto h2 offers it without a word", ask("forced")[1:] == (body_of(5), f"2 h2 {port}"))
check("proto h1 never", ask("without")[1:] == (b"h1", f"1 http/1.1 {port}"))
before = len(server.connections)
with connect(svc.args.front) as s:
    s.sendall(b"GET /chat HTTP/1.1\r\nHost: www.example.com\r\nX-To: either\r\nConnection: Upgrade\r\n"
              b"Upgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
    got = s.recv(65536)
    check("WebSocket goes by HTTP/1", b"\r\nx-spoken: 1 http/1.1 " in got)
check("a certificate of somebody else's", ask("distrusted")[0] == 503 and len(server.connections) == before)

clients = [http.client.HTTPConnection(svc.args.front, timeout=PATIENCE) for _ in range(2)]
for _ in range(2):
    for c in clients:
        check("whose server is told who it is", ask("told", keep=c)[0] == 200)
check("a connection for each client", len(told.connections) == 2 and
      [c.count for c in told.connections] == [2, 2])
check("no fault of ours", not (server.faults + told.faults + asked.faults))
finish()
