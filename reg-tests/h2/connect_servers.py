# SPDX-License-Identifier: BSD-2-Clause
"""What connect_servers.sh describes: a server that sends back what a tunnel brings."""

import socket
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded

from frames import DATA, END_STREAM, HEADERS, Client, frame
from http1 import Reader
from origin import serve_each
from service import Service, check, connect, finish, read_all

svc = Service()
seen = []


def serve(sock):
    tunnels = set()
    # Some versions of the module want a path in CONNECT, too (RFC 9113, 8.5, has none).
    h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8",
                                      validate_inbound_headers=False))
    h2.initiate_connection()
    sock.sendall(h2.data_to_send())
    while data := sock.recv(65536):
        for e in h2.receive_data(data):
            if isinstance(e, RequestReceived):
                seen.append(dict(e.headers))
                refused = seen[-1][":authority"].startswith("no.")
                tunnels |= set() if refused else {e.stream_id}
                h2.send_headers(e.stream_id, [(":status", "403" if refused else "200")],
                                end_stream=refused)
            elif isinstance(e, DataReceived):
                h2.acknowledge_received_data(e.flow_controlled_length, e.stream_id)
                h2.send_data(e.stream_id, e.data.upper())
            elif isinstance(e, StreamEnded) and e.stream_id in tunnels:
                h2.send_data(e.stream_id, b"bye", end_stream=True)
        sock.sendall(h2.data_to_send())


serve_each(svc.args.back, serve)
s = connect(svc.args.front)
s.sendall(b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n")
check("HTTP/1: a tunnel", Reader(s).head().startswith(b"HTTP/1.1 200"))
s.sendall(b"hello")
check("HTTP/1: bytes both ways", s.recv(5, socket.MSG_WAITALL) == b"HELLO")
s.shutdown(socket.SHUT_WR)
check("HTTP/1: the other direction ends later", read_all(s) == b"bye")
check(f"the request: {seen[-1]}", seen[-1] == {":method": "CONNECT", ":authority": "a.example:443"})

c = Client(svc.args.front)
stream = c.open([(":method", "CONNECT"), (":authority", "b.example:443")], False)
check("HTTP/2: a tunnel", bool(c.wait(lambda f: f.kind == HEADERS)) and c.status(stream) == 200)
c.send(frame(DATA, 0, stream, b"hello"))
check("HTTP/2: bytes both ways", bool(c.wait(lambda f: c.body(stream) == b"HELLO")))
c.send(frame(DATA, END_STREAM, stream, b"x"))
check("HTTP/2: the other direction ends later", c.ends(stream) == (200, b"HELLOXbye"))
stream = c.open([(":method", "CONNECT"), (":authority", "no.example:443")], False)
check("refused", bool(c.wait(lambda f: f.kind == HEADERS and f.stream == stream)) and
      c.status(stream) == 403)
check("the connection goes on", c.ping())
finish()
