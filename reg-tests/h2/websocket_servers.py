# SPDX-License-Identifier: BSD-2-Clause
"""The client of websocket_servers.sh."""

import socket
import struct
import threading

from frames import (DATA, END_STREAM, HEADERS, INITIAL_WINDOW_SIZE, RST_STREAM, SETTINGS,
                    WINDOW_UPDATE, Client, frame, read_block, rst, settings, window)
from http1 import fields_of, head_alone
from service import Service, address, check, connect, finish, read_all, until
from ws_server import PUSHED, WsServer, accept_of

NAMES = "h2", "tls", "only", "without", "late", "pem"
args = Service(lambda p: [p.add_argument(f"--{name}") for name in NAMES]).args
port = lambda name: address(getattr(args, name))[1]
released = threading.Event()
clear = WsServer(port("back"))
tls = WsServer(port("tls"), alpn=["h2", "http/1.1"], pem=args.pem)
only = WsServer(port("only"), alpn=["h2"], pem=args.pem)
without = WsServer(port("without"), takes=False)
late = WsServer(port("late"), late=released)
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
KEYS = f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n"


class H1:
    """A client of HTTP/1."""

    def __init__(self, path, protocol="websocket", method="GET"):
        self.sock, self.protocol = connect(args.front), protocol
        keys = KEYS if protocol.lower() == "websocket" else ""
        self.sock.sendall(f"{method} {path} HTTP/1.1\r\nHost: www.example.com\r\nConnection: Upgrade\r\n"
                          f"Upgrade: {protocol}\r\n{keys}\r\n".encode())

    def head(self):
        head = head_alone(self.sock)
        if head is None:
            return 0, {}
        self.fields = fields_of(head)
        return int(head.split()[1]), self.fields

    def opened(self):
        status, fields = self.head()
        accept = accept_of(KEY) if self.protocol.lower() == "websocket" else None
        return (status == 101 and fields.get("sec-websocket-accept") == accept and
                fields["upgrade"].lower() == self.protocol.split(",")[0].lower() and
                fields["connection"].lower() == "upgrade")

    def say(self, data):
        self.sock.sendall(data)

    def hear(self, n):
        got = b""
        while len(got) < n and (piece := self.sock.recv(65536)):
            got += piece
        return got

    def end(self):
        self.sock.shutdown(socket.SHUT_WR)

    def over(self):
        try:
            return self.sock.recv(1) == b""
        except ConnectionResetError:
            return True

    def leave(self):
        self.sock.close()


class H2:
    """A stream of a client of HTTP/2."""

    def __init__(self, path, protocol="websocket"):
        self.c = Client(args.h2, first=settings((4, 1 << 24)) + window(0, 1 << 24))
        self.stream = self.c.open([(":method", "CONNECT"), (":scheme", "http"), (":path", path),
                                   (":authority", "www.example.com"), (":protocol", protocol),
                                   ("sec-websocket-version", "13")], end=False)
        self.at = self.said = 0

    def head(self):
        f = self.c.wait(lambda f: f.stream == self.stream and f.kind in (HEADERS, RST_STREAM))
        if not f or f.kind == RST_STREAM:
            return 0, {}
        self.fields = dict(read_block(f.payload))
        return int(self.fields[":status"]), self.fields

    def opened(self):
        status, fields = self.head()
        return status == 200 and not {"upgrade", "connection", "sec-websocket-accept"} & set(fields)

    def room(self):
        """How much the windows let through (RFC 9113 6.9.1)."""
        own = of_all = 65535
        for f in self.c.seen:
            if f.kind == SETTINGS:
                for kind, value in struct.iter_unpack(">HI", f.payload):
                    own += value - 65535 if kind == INITIAL_WINDOW_SIZE else 0
            elif f.kind == WINDOW_UPDATE:
                by = int.from_bytes(f.payload, "big")
                own += by if f.stream == self.stream else 0
                of_all += 0 if f.stream else by
        return min(own, of_all) - self.said

    def say(self, data):
        for at in range(0, len(data), 16384):
            piece = data[at:at + 16384]
            if self.room() < len(piece):
                self.c.wait(lambda f: f.kind == WINDOW_UPDATE and self.room() >= len(piece))
            self.said += len(piece)
            self.c.send(frame(DATA, 0, self.stream, piece))

    def hear(self, n):
        self.c.wait(lambda f: len(self.c.body(self.stream)) >= self.at + n)
        got = self.c.body(self.stream)[self.at:]
        self.at += len(got)
        return got

    def end(self):
        self.c.send(frame(DATA, END_STREAM, self.stream, b""))

    def over(self):
        return bool(self.c.wait(lambda f: f.stream == self.stream and (
            f.kind == RST_STREAM or f.kind in (DATA, HEADERS) and f.flags & END_STREAM)))

    def leave(self):
        self.c.send(rst(self.stream))


def talks(what, ws, spoken, server):
    good = ws.opened()
    check(f"{what}: opened, by HTTP/{spoken}: {ws.fields}", good and ws.fields["x-spoken"] == spoken)
    asked = server.asked[-1]
    check(f"{what}: the server is asked so", asked[0] == f"h{spoken}" and
          (asked[2][":method"] == "CONNECT" and asked[2][":protocol"] == "websocket" and
           "sec-websocket-key" not in asked[2] if spoken == "2" else
           asked[2]["upgrade"] == "websocket") and asked[2]["sec-websocket-version"] == "13")
    ws.say(b"hello")
    check(f"{what}: bytes pass both ways", ws.hear(5) == b"HELLO")


def ways():
    for client in H1, H2:
        for backend, spoken, server in (
                ("h2", "2", clear), ("h2_ws_h2", "2", clear), ("h2_ws_h1", "1", clear), ("h1", "1", clear),
                ("h1_ws_h1", "1", clear), ("h1_ws_h2", "2", clear), ("tls", "1", tls),
                ("tls_ws_h1", "1", tls), ("tls_ws_h2", "2", tls), ("tls_only_h2", "2", only),
                ("tls_proto_h2", "2", tls), ("tls_proto_h2_ws_h1", "1", tls)):
            what = f"{client.__name__} to {backend}"
            ws = client(f"/{backend}/chat")
            talks(what, ws, spoken, server)
            ws.end()
            check(f"{what}: the client ends it", ws.over())
            ws = client(f"/{backend}/chat")
            ws.opened()
            ws.say(b"bye")
            check(f"{what}: the server ends it", ws.over())
            ws = client(f"/{backend}/ends")
            check(f"{what}: it ends at once", ws.opened() and ws.over())
            status, fields = client(f"/{backend}/no").head()
            check(f"{what}: a refusal is passed on", status == 403 and fields["content-length"] == "2")
            plain = connect(args.front)
            plain.sendall(f"GET /{backend}/plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
            main = "2" if backend.startswith("tls") or backend.startswith("h2") else "1"
            got = read_all(plain)
            check(f"{what}: other requests go by HTTP/{main}", f"x-spoken: {main}".encode() in got and got.endswith(b"ok"))


def protocols():
    """Names know no case; others than WebSocket go the same way, and have no key."""
    for client in H1, H2:
        for backend, spoken in ("h2", "2"), ("h1", "1"), ("h2_ws_h1", "2"), ("h1_ws_h2", "1"):
            for name in "custom", "Custom/1.0":
                what = f"{client.__name__} to {backend}, {name}"
                ws = client(f"/{backend}/chat", name)
                check(f"{what}: opened", ws.opened() and ws.fields["x-spoken"] == spoken)
                fields = clear.asked[-1][2]
                check(f"{what}: the server is asked so: {fields}", clear.asked[-1][0] == f"h{spoken}" and
                      fields.get(":protocol", fields.get("upgrade")) == name and
                      "sec-websocket-key" not in fields)
                ws.say(b"hello")
                check(f"{what}: bytes pass both ways", ws.hear(5) == b"HELLO")
                ws.end()
                check(f"{what}: the client ends it", ws.over())
                status, _ = client(f"/{backend}/no", name).head()
                check(f"{what}: a refusal is passed on", status == 403)
        for backend in "h2", "h1":
            ws = client(f"/{backend}/chat", "WebSocket")
            check(f"{client.__name__} to {backend}: WebSocket in capitals", ws.opened())
            ws.leave()
        status, _ = client("/without/chat", "custom").head()
        check(f"{client.__name__}: a server that takes none: {status}", status == 502 and not without.asked)
    ws = H1("/h2/chat", "custom, other")
    check("the first of several is asked for", ws.opened() and clear.asked[-1][2][":protocol"] == "custom")
    status, _ = H2("/h1/other", "custom").head()
    check(f"101 to another protocol: {status}", status == 502)
    for protocol in "h2c", "TLS/1.2", "HTTP/2", "a b", "a,b", "a/", "/a", "":
        count = len(clear.asked)
        status, _ = H2("/h1/chat", protocol).head()
        check(f"no protocol for a tunnel, '{protocol}': {status}", status == 400 and len(clear.asked) == count)
    for method, protocol in ("GET", "h2c"), ("GET", "TLS/1.2"), ("OPTIONS", "custom"), ("DELETE", "custom"):
        status, _ = H1("/h2/plain", protocol, method).head()
        check(f"{method} to {protocol} leaves without: {status}", status == 200 and
              clear.asked[-1][2][":method"] == method)


def large(client, backend):
    what = f"{client.__name__} to {backend}"
    ws = client(f"/{backend}/push")
    check(f"{what}: opened", ws.opened())
    sent = (b"ping " * 13108)[:65536] * 16
    writer = threading.Thread(target=ws.say, args=(sent,))
    if client is H1:
        writer.start()
        got = ws.hear(len(PUSHED) + len(sent))
        writer.join()
    else:
        got, left = b"", sent
        while left:
            ws.say(left[:32768])
            left = left[32768:]
            got += ws.hear(32768)
        while len(got) < len(PUSHED) + len(sent) and (more := ws.hear(1)):
            got += more
    # The server of HTTP/1 writes both at once.
    check(f"{what}: 1 MB both ways", len(got) == len(PUSHED) + len(sent) and
          (backend == "h1" or got == PUSHED + sent.upper()))
    ws.leave()


def ends():
    for client in H1, H2:
        what = client.__name__
        status, _ = client("/h2/reset").head()
        check(f"{what}: reset by the server before it has answered: {status}", status == 502)
        count = len(clear.reset)
        ws = client("/h2/chat")
        ws.opened()
        ws.leave()
        until(f"{what}: left by the client, the server hears of it", lambda: len(clear.reset) + len(clear.ended) > count)
        status, _ = client("/without/chat").head()
        check(f"{what}: the server does not take it: {status}", status == 502)
        check(f"{what}: and is not asked", not without.asked)
        status, _ = client("/quick/silent").head()
        check(f"{what}: timeout server: {status}", status == 504)
        ws = client("/tunnel/chat")
        check(f"{what}: timeout tunnel", ws.opened() and ws.over())
    status, _ = H2("/h1/wrong").head()
    check(f"101 to another key: {status}", status == 502)
    for client in H1, H2:
        status, _ = client("/h1/unkeyed").head()
        check(f"{client.__name__}: 101 that answers no key: {status}", status == 502)
    status, fields = H1("/h1/wrong").head()
    check("the client of HTTP/1 judges for itself", status == 101 and fields["sec-websocket-accept"] != accept_of(KEY))


def one_connection():
    """Other streams of the connection do not notice."""
    clear.asked.clear()
    several = [H2("/h2/chat") for _ in range(5)] + [H1("/h2/chat") for _ in range(5)]
    check("ten at once", all(ws.opened() for ws in several))
    check("over one connection", len({asked[1] for asked in clear.asked}) == 1)
    for ws in several[::2]:
        ws.leave()
    for ws in several[1::2]:
        ws.say(b"still here")
    check("those that stay are served", all(ws.hear(10) == b"STILL HERE" for ws in several[1::2]))


def waits():
    """The server says what it takes when it wants to."""
    ws = H1("/late/chat")
    check("nothing is asked before the settings", not late.asked)
    released.set()
    talks("late settings", ws, "2", late)


ways()
protocols()
for client in H1, H2:
    for backend in "h2", "h1":
        large(client, backend)
ends()
one_connection()
waits()
finish()
