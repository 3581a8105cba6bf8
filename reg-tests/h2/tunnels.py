# SPDX-License-Identifier: BSD-2-Clause
"""The client and the servers of tunnels.sh. The server of HTTP/1 carries out whatever requests it
reads, one behind the other, and notes what was there when it answered."""

import itertools
import select
import socket
import threading

from frames import DATA, END_STREAM, HEADERS, RST_STREAM, Client, frame, read_block, request
from service import Service, address, check, finish
from ws_server import WsServer, accept_of

args = Service(lambda p: [p.add_argument("--late")]).args
asked, early, tries = [], [], {}
released, settled = threading.Event(), threading.Event()
REQUEST = b"POST /admin/delete HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
UNFINISHED = b"GET /evil HTTP/1.1\r\nHost: x\r\nX: "
OK = b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s"


def answer(sock, how, fields):
    """True: a tunnel begins."""
    if how == "late":
        released.wait()
    if how == "switch" or how == "late":
        if fields["method"] == "CONNECT":
            sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket"
                         b"\r\nSec-WebSocket-Accept: %s\r\n\r\n" %
                         accept_of(fields["sec-websocket-key"]).encode())
        return True
    if how == "interim":
        sock.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    if how == "204":
        sock.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
    else:
        status = b"403 Forbidden" if how in ("403", "interim") else b"200 OK"
        body = fields["target"].encode()
        sock.sendall(OK % (status, len(body), body))
    return fields["method"] == "CONNECT" and how in ("200", "204")  # RFC 9110 9.3.6: 2xx agrees


def serve(sock):
    rest = b""
    while True:
        while b"\r\n\r\n" not in rest:
            piece = sock.recv(65536)
            if not piece:
                return
            rest += piece
        head, rest = rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        fields = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:] if ": " in line)}
        fields["method"], fields["target"] = lines[0].split()[:2]
        asked.append((fields["target"], fields.get("x")))
        how = fields.get("x-how", "200")
        if how == "dies" and not tries.setdefault(fields["x-number"], 0):
            tries[fields["x-number"]] = 1
            return
        if how == "late":
            released.wait()
        if rest or how != "200" and select.select([sock], [], [], 0)[0]:
            early.append((how, rest))
        if answer(sock, "switch" if how == "dies" else how, fields):
            break
    while got := sock.recv(65536):
        sock.sendall(got.upper())


def serve_one(sock):
    try:
        serve(sock)
    except OSError:
        pass
    sock.close()


def listen():
    listener = socket.create_server(address(args.back), backlog=100)
    while True:
        threading.Thread(target=serve_one, args=(listener.accept()[0],), daemon=True).start()


def fields_of(kind, backend, how, number):
    extra = [("x-backend", backend), ("x-how", how), ("x-number", number)]
    if kind == "connect":
        return [(":method", "CONNECT"), (":authority", "x:443"), *extra]
    return [*request("/chat", "CONNECT"), (":protocol", "websocket"), ("sec-websocket-version", "13"),
            *extra]


def status_of(c, stream):
    f = c.wait(lambda f: f.stream == stream and (f.kind == RST_STREAM or f.kind == HEADERS and
               dict(read_block(f.payload)).get(":status", "0")[0] != "1"))
    return f and (int(dict(read_block(f.payload))[":status"]) if f.kind == HEADERS else "reset")


def victims(what):
    """Clients of their own, who share the servers' connections."""
    for n, backend in enumerate(("safe", "always", "always")):
        c, path = Client(args.front), f"/victim/{next(numbers)}"
        got = c.ends(c.open(request(path, extra=[("x-backend", backend)])))
        if got != (200, path.encode()):
            check(f"{what}: another client's answer on {backend} is its own: {got}", False)
            finish()
        c.close()


def told(kind, how):
    """What the client is told of it. A 200 means to a client of WebSocket that it stands."""
    opens = how in ("switch", "late", "dies") or kind == "connect" and how in ("200", "204")
    status = {"200": 500, "204": 500, "403": 403, "interim": 403}.get(how, 200)
    return opens, (int(how) if how in ("200", "204") else 200) if opens else status


def row(kind, backend, how, payload, ends):
    what = f"{kind}, {backend}, {how}, {payload[:9]}, {'ended' if ends else 'open'}"
    before, c = len(early), Client(args.front)
    stream = c.open(fields_of(kind, backend, how, str(next(numbers))), end=False,
                    more=frame(DATA, END_STREAM if ends else 0, c.next, payload))
    if how == "late":
        c.ping()
        released.set()
    opens, expected = told(kind, how)
    got = status_of(c, stream)
    good = got == expected and len(early) == before
    if opens and how not in ("200", "204"):
        c.wait(lambda f: len(c.body(stream)) >= len(payload))
        good = good and c.body(stream) == payload.upper()
    released.clear()
    c.close()
    if not good:
        check(f"{what}: {got}, expected {expected}; before it agreed, the server got "
              f"{early[before:]}; the tunnel {c.body(stream)}", False)
        finish()  # others of the table would wait for what does not come
    victims(what)


def table():
    for kind, payload, ends in itertools.product(("extended", "connect"), (REQUEST, UNFINISHED),
                                                 (False, True)):
        for backend, how in [*itertools.product(("safe", "always"), ("403", "200", "204", "interim",
                                                                     "switch", "late")),
                             ("buffers", "403"), ("buffers", "switch"), ("waits", "403"),
                             ("waits", "switch"), ("limits", "403"), ("limits", "late"),
                             ("retries", "dies"), ("retries", "late")]:
            row(kind, backend, how, payload, ends)
    wrong = [a for a in asked if "victim" not in a[0] and a[0] not in ("/chat", "x:443") or a[1]]
    check(f"nothing but requests was carried out: {wrong[:3]}", not wrong)
    check(f"no byte came before the server agreed: {early[:3]}", not early)


def stream_zero():
    """The server's settings are late: the head waits, without an id, and so does all behind it."""
    c = Client(args.front)
    chat = [*request("/chat", "CONNECT"), (":protocol", "websocket"), ("x-backend", "h2")]
    stream = c.open(chat, end=False, more=frame(DATA, 0, c.next, b"early"))
    check("the client's connection goes on", c.ping())
    settled.set()
    got = status_of(c, stream)
    c.wait(lambda f: len(c.body(stream)) >= 5)
    check(f"an h2 server is told behind its answer alone: {got}, {c.body(stream)}",
          got == 200 and c.body(stream) == b"EARLY")
    other = Client(args.front)
    got = other.ends(other.open(request("/plain", extra=[("x-backend", "h2")])))
    check(f"another stream on that connection: {got}", got == (200, b"ok"))
    check("one connection for both", len({a[1] for a in late.asked}) == 1)


numbers = itertools.count(1)
late = WsServer(address(args.late)[1], late=settled)
threading.Thread(target=listen, daemon=True).start()
table()
stream_zero()
finish()
