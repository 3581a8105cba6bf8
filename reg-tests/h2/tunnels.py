# SPDX-License-Identifier: BSD-2-Clause
"""The clients and the servers of tunnels.sh. The server of HTTP/1 carries out whatever requests it
reads, one behind the other, and notes what was there when it answered; that of HTTP/2 notes what
comes on a stream that it has not agreed to. Both begin a tunnel that gives back in capitals."""

import itertools
import select
import socket
import threading
from h2.events import DataReceived, RequestReceived, StreamEnded, StreamReset

from frames import DATA, END_STREAM, HEADERS, RST_STREAM, Client, frame, read_block, request
from http1 import Reader, fields_of
from origin import serve_each
from service import PATIENCE, Service, address, check, connect, finish
from ws_server import H2, WsServer, accept_of

args = Service(lambda p: [p.add_argument("--late"), p.add_argument("--h2"), p.add_argument("--h1"),
                          p.add_argument("--lua", action="store_true")]).args
asked, early, tries = [], [], {}
released, settled, came = threading.Event(), threading.Event(), threading.Event()
REQUEST = b"POST /admin/delete HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
UNFINISHED = b"GET /evil HTTP/1.1\r\nHost: x\r\nX: "
OK = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
AGREES = "switch", "late", "dies", "hints"


def note(target, fields):
    asked.append((target, fields.get("x")))
    if "victim" not in target:
        came.set()


def dies_first(how, number):
    """It goes without an answer: always, or for the first try."""
    tries[number] = tries.get(number, 0) + 1
    return how == "none" or how == "dies" and tries[number] == 1


# ---- the server of HTTP/1 ----


def answer(sock, how, fields):
    """True: a tunnel begins."""
    if how in ("interim", "hints"):
        sock.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    if how in AGREES:
        if fields["method"] == "CONNECT":
            sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            protocol, key = fields["upgrade"], fields.get("sec-websocket-key")
            accept = f"Sec-WebSocket-Accept: {accept_of(key)}\r\n" if key else ""
            sock.sendall(f"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: {protocol}\r\n"
                         f"{accept}\r\n".encode())
        return True
    if how == "204":
        sock.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
    else:
        status = b"403 Forbidden" if how in ("403", "interim") else b"200 OK"
        body = fields["target"].encode()
        sock.sendall(OK % (status, len(body), body))
    return fields["method"] == "CONNECT" and how in ("200", "204")  # RFC 9110 9.3.6: 2xx agrees


def serve(sock):
    reader = Reader(sock)
    while (head := reader.head()) is not None:
        fields = fields_of(head)
        fields["method"], fields["target"] = head.decode("latin-1").split()[:2]
        note(fields["target"], fields)
        how = fields.get("x-how", "200")
        if how in ("dies", "none") and dies_first(how, fields["x-number"]):
            return
        if how == "late":
            released.wait()
        if how == "never":
            reader.more()
        if reader.held or how != "200" and select.select([sock], [], [], 0)[0] and sock.recv(1, socket.MSG_PEEK):
            early.append((how, bytes(reader.held)))
        if how == "never":
            return
        if answer(sock, how, fields):
            break
    while got := sock.recv(65536):
        sock.sendall(got.upper())


# ---- the server of HTTP/2 ----


class Tunnels(H2):
    """A late answer leaves behind that to another request of the connection."""

    def event(self, e):
        stream = getattr(e, "stream_id", None)
        if isinstance(e, RequestReceived):
            self.late = getattr(self, "late", [])
            self.asked(stream, dict(e.headers))
            return
        if isinstance(e, DataReceived) and e.data and stream not in self.out:
            early.append((stream, e.data))
        if isinstance(e, StreamReset):
            self.late = [s for s in self.late if s != stream]
        if isinstance(e, (DataReceived, StreamEnded)) and stream not in self.out:
            return
        super().event(e)

    def asked(self, stream, fields):
        how, target = fields.get("x-how", "200"), fields.get(":path", "x:443")
        note(target, fields)
        if how in ("dies", "none") and dies_first(how, fields["x-number"]):
            self.h2.reset_stream(stream, 7 if how == "dies" else 2)
        elif how == "late":
            self.late.append(stream)
        elif fields[":method"] != "CONNECT":
            self.whole(stream, "200", target)
            for each in self.late:
                self.agree(each, "200")
            self.late = []
        elif how != "never":
            if how in ("interim", "hints"):
                self.h2.send_headers(stream, [(":status", "103"), ("link", "</a>")])
            if how in AGREES or how in ("200", "204"):
                self.agree(stream, "204" if how == "204" else "200")
            else:
                self.whole(stream, "403", target)

    def whole(self, stream, status, body):
        self.h2.send_headers(stream, [(":status", status), ("content-length", str(len(body)))])
        self.h2.send_data(stream, body.encode(), end_stream=True)

    def agree(self, stream, status):
        self.h2.send_headers(stream, [(":status", status)])
        self.out[stream] = b""


# ---- clients ----


def names(backend, how, number):
    return [("x-backend", backend), ("x-how", how), ("x-number", number)]


class OfH2:
    def __init__(self, kind, extra, payload, ends):
        self.c = Client(args.front)
        fields = [(":method", "CONNECT"), (":authority", "x:443"), *extra] if kind == "connect" else \
            [*request("/chat", "CONNECT"), (":protocol", kind), ("sec-websocket-version", "13"), *extra]
        more = frame(DATA, END_STREAM if ends else 0, self.c.next, payload) if payload else b""
        self.stream = self.c.open(fields, end=False, more=more)

    def say(self, payload, ends):
        self.c.send(frame(DATA, END_STREAM if ends else 0, self.stream, payload))

    def status(self):
        f = self.c.wait(lambda f: f.stream == self.stream and (f.kind == RST_STREAM or f.kind == HEADERS and
                        dict(read_block(f.payload)).get(":status", "0")[0] != "1"))
        return f and (int(dict(read_block(f.payload))[":status"]) if f.kind == HEADERS else "reset")

    def body(self, n):
        self.c.wait(lambda f: len(self.c.body(self.stream)) >= n)
        return self.c.body(self.stream)

    def close(self):
        self.c.close()


class OfH1:
    def __init__(self, kind, extra, payload, ends):
        lines = "".join(f"{name}: {value}\r\n" for name, value in extra)
        keys = f"Sec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: 13\r\n" if kind == "websocket" else ""
        head = "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n" if kind == "connect" else \
            f"GET /chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: {kind}\r\n{keys}"
        self.s = connect(args.h1)
        self.r = Reader(self.s)
        self.say(f"{head}{lines}\r\n".encode() + payload, ends)

    def say(self, payload, ends):
        self.s.sendall(payload)
        if ends:
            self.s.shutdown(socket.SHUT_WR)


    def status(self):
        """Of the final answer."""
        while True:
            try:
                head = self.r.head()
            except OSError:
                head = None
            if head is None:
                return "closed"
            status = int(head.split()[1])
            if status >= 200 or status == 101:
                return status

    def body(self, n):
        try:
            while len(self.r.held) < n and self.r.more():
                pass
        except OSError:
            pass
        return bytes(self.r.held[:n])


    def close(self):
        self.s.close()


def victims(what, of_h2):
    """Clients of their own, who share the servers' connections."""
    for backend in ("h2", "safe2") if of_h2 else ("safe", "always", "always"):
        c, path = Client(args.front), f"/victim/{next(numbers)}"
        got = c.ends(c.open(request(path, extra=[("x-backend", backend)])))
        if got != (200, path.encode()):
            check(f"{what}: another client's answer on {backend} is its own: {got}", False)
            finish()
        c.close()


def told(client, kind, of_h2, how):
    """Does a tunnel begin, and what is the client told? A 200 means to one of HTTP/2 that it
    does."""
    agrees = how in AGREES or how in ("200", "204") and (of_h2 or kind == "connect")
    if agrees and kind == "connect":
        return True, int(how) if how in ("200", "204") else 200
    if agrees:
        return True, 200 if client is OfH2 else 101
    refused = {"403": 403, "interim": 403, "none": 502, "never": 504}
    return False, refused.get(how, 500 if client is OfH2 else int(how if how.isdigit() else 0))


def row(client, kind, backend, how, payload, ends, behind=False):
    """behind: the payload comes when the server has been asked."""
    what = f"{client.__name__}, {kind}, {backend}, {how}, {payload[:9]}, {'ended' if ends else 'open'}"
    of_h2 = backend[-1] == "2"
    before = len(early)
    came.clear()
    c = client(kind, names(backend, how, str(next(numbers))), b"" if behind else payload, not behind and ends)
    if behind:
        came.wait(PATIENCE)
        c.say(payload, ends)
    if how == "late":
        came.wait(PATIENCE)
        watcher.ping() # by then the proxy has seen what was said before
        watcher.ping()
        if of_h2: # what comes behind this one's answer was agreed to
            victim = Client(args.front)
            victim.ends(victim.open(request("/victim/late", extra=[("x-backend", backend)])))
            victim.close()
        released.set()
    opens, expected = told(client, kind, of_h2, how)
    got = c.status()
    good = got == expected and len(early) == before
    body = b""
    if opens and (of_h2 or how not in ("200", "204")):
        body = c.body(len(payload))
        good = good and body == payload.upper()
    released.clear()
    c.close()
    if not good:
        check(f"{what}: {got}, expected {expected}; before it agreed, the server got "
              f"{early[before:]}; the tunnel {body}", False)
        finish()  # others of the table would wait for what does not come
    victims(what, of_h2)


KINDS = "connect", "websocket", "custom"
ALL = "403", "200", "204", "interim", "hints", "switch", "late", "none"
WAYS = [*itertools.product(("safe", "always"), ALL), ("never", "never"), ("buffers", "403"),
        ("buffers", "switch"), ("waits", "403"), ("waits", "switch"), ("limits", "403"), ("limits", "late"),
        ("retries", "dies"), ("retries", "late"), ("redispatch", "403"), ("redispatch", "switch")]
WAYS2 = [*(("h2", how) for how in ALL), ("safe2", "403"), ("safe2", "switch"), ("never2", "never"),
         ("buffers2", "403"), ("buffers2", "switch"), ("waits2", "403"), ("waits2", "late"),
         ("limits2", "403"), ("limits2", "late"), ("retries2", "dies"), ("retries2", "late"),
         ("redispatch2", "403"), ("redispatch2", "switch")]
SCRIPTS = [(backend, how) for backend in ("lua", "lua2") for how in ("403", "switch", "late", "none")]


def table():
    ways = WAYS + WAYS2 + (SCRIPTS if args.lua else [])
    rows = 0
    for client in OfH2, OfH1:
        for kind, (backend, how) in itertools.product(KINDS, ways):
            for payload, ends in ((REQUEST, rows % 2), (UNFINISHED, not rows % 2)):
                row(client, kind, backend, how, payload, ends)
                if how in ("late", "never"):
                    row(client, kind, backend, how, payload, ends, behind=True)
            rows += 1
    wrong = [a for a in asked if "victim" not in a[0] and a[0] not in ("/chat", "x:443") or a[1]]
    check(f"nothing but requests was carried out: {wrong[:3]}", not wrong)
    check(f"no byte came before the server agreed, in {rows} kinds of rows: {early[:3]}", not early)


def stream_zero():
    """The server's settings are late: the head waits, without an id, and so does all behind it."""
    c = Client(args.front)
    chat = [*request("/chat", "CONNECT"), (":protocol", "websocket"), ("x-backend", "late")]
    stream = c.open(chat, end=False, more=frame(DATA, 0, c.next, b"early"))
    check("the client's connection goes on", c.ping())
    settled.set()
    f = c.wait(lambda f: f.stream == stream and f.kind in (RST_STREAM, HEADERS))
    c.wait(lambda f: len(c.body(stream)) >= 5)
    check(f"an h2 server is told behind its answer alone: {c.status(stream)}, {c.body(stream)}",
          f.kind == HEADERS and c.status(stream) == 200 and c.body(stream) == b"EARLY")
    other = Client(args.front)
    got = other.ends(other.open(request("/plain", extra=[("x-backend", "late")])))
    check(f"another stream on that connection: {got}", got == (200, b"ok"))
    check("one connection for both", len({a[1] for a in late.asked}) == 1)


numbers = itertools.count(1)
late = WsServer(address(args.late)[1], late=settled)
WsServer(address(args.h2)[1], speaks=Tunnels)
serve_each(args.back, serve)
watcher = Client(args.front)
table()
stream_zero()
finish()
