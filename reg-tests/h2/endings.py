# SPDX-License-Identifier: BSD-2-Clause
"""What endings.sh describes. A server of frames does what the path says."""

import socket
import struct
import threading
from hpack import Decoder

from frames import (ACK, CANCEL, DATA, END_STREAM, GOAWAY, HEADERS, INTERNAL_ERROR, PRIORITIZED,
                    REFUSED_STREAM, SETTINGS, Client, arriving, block, frame, headers, request,
                    rst, settings)
from origin import serve_each
from service import PATIENCE, Service, check, connect, finish
from sockets import reset

svc = Service(lambda p: (p.add_argument("--plain"), p.add_argument("--logs", type=int)))
args = svc.args
changed = threading.Condition()
asked = {}
OK = block([(":status", "200"), ("content-length", "10")])


def goaway(last, code=0):
    return frame(GOAWAY, 0, 0, struct.pack(">II", last, code))


class Served:
    def __init__(self, sock):
        self.sock = sock


    def answer(self, stream, how):
        """False: it ends the connection."""
        half = headers(stream, OK, False) + frame(DATA, 0, stream, b"hello")
        rest = frame(DATA, END_STREAM, stream, b"world")
        say = {"ok": half + rest, "silence": b"", "part": half,
               "rst": rst(stream, CANCEL), "refused": rst(stream, REFUSED_STREAM),
               "part-rst": half + rst(stream, INTERNAL_ERROR),
               "goaway": goaway(stream - 2 if stream > 1 else 0),
               "goaway-ok": goaway(stream) + half + rest,
               "part-goaway-ok": half + goaway(stream) + rest,
               "close": b"", "part-close": half, "goaway-close": goaway(stream),
               "error-close": goaway(stream, INTERNAL_ERROR),
               "malformed": headers(stream, block([(":status", "200"), ("Bad", "x")])),
               "part-long": half + frame(DATA, 0, stream, b"too long"),
               "short": half + frame(DATA, END_STREAM, stream, b"wor")}[how]
        self.sock.sendall(say)
        return not how.endswith("close")

    def run(self):
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.sendall(settings())
        heads, decoder = {}, Decoder()
        for f in arriving(self.sock):
            if f.kind == SETTINGS and not f.flags & ACK:
                self.sock.sendall(frame(SETTINGS, ACK))
            if f.kind == HEADERS:
                heads[f.stream] = decoder.decode(f.payload[5:] if f.flags & PRIORITIZED else f.payload)
                with changed:
                    path = dict(heads[f.stream])[":path"]
                    asked[path] = asked.get(path, 0) + 1
                    changed.notify_all()
            if f.kind in (HEADERS, DATA) and f.flags & END_STREAM:
                if not self.answer(f.stream, path_of(heads[f.stream])):
                    return


def path_of(head):
    return dict(head)[":path"].split("/")[2]


def arrived(path):
    with changed:
        if not changed.wait_for(lambda: path in asked, PATIENCE):
            check(f"{path} reaches the server", False)


# ---- the log ----


logger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
logger.bind(("127.0.0.1", args.logs))
logger.settimeout(PATIENCE)
lines = {}


def logged(path, wanted=True):
    """Its status and its letters. Lines come in the order of ends: behind that of /end none
    comes."""
    if path in lines:
        return lines[path]
    end = path + "-end"
    c = Reading(args.front)
    c.ends(c.open(request("/be/ok" + end)))
    c.close()
    while True:
        text = logger.recv(1000).decode().rstrip("\n").split()
        if len(text) == 3:
            lines[text[0]] = " ".join(text[1:])
            if text[0] == "/be/ok" + end:
                return lines.get(path, "none")
            if text[0] == path:
                return lines[path]


# ---- clients ----


class Reading(Client):
    """Whatever way the proxy writes fields."""
    statuses = None

    def read(self):
        if self.statuses is None:
            self.statuses, self.decoder = {}, Decoder()
        n = len(self.seen)
        super().read()
        for f in self.seen[n:]:
            if f.kind == HEADERS:
                self.statuses.setdefault(f.stream, int(dict(self.decoder.decode(f.payload))[":status"]))

    def status(self, stream):
        return self.statuses.get(stream)


def warm(c):
    c.ends(c.open(request("/be/ok")))


def read(c, stream):
    end = c.ends(stream)
    return "none" if end is None else f"{end[0]}" if isinstance(end[0], int) else f"{end[0]} {end[1]}"


def h2_client(path, used, body, leaves):
    c = Reading(args.front)
    if used:
        warm(c)
    extra = [("content-length", "10")] if body else []
    stream = c.open(request(path, "POST" if body else "GET", extra=extra), not body)
    if body:
        c.send(frame(DATA, 0, stream, b"hello"))
        arrived(path)
        if not leaves:
            c.send(frame(DATA, END_STREAM, stream, b"world"))
    if leaves:
        arrived(path)
        if "part" in path:
            c.wait(lambda f: f.kind == DATA and f.stream == stream)
        if leaves == "rst":
            c.send(rst(stream))
            c.ping()
    seen = "left" if leaves else read(c, stream)
    c.close()
    return seen


def h1_client(path, used, body, leaves):
    c = connect(args.plain)
    if used:
        c.sendall(b"GET /be/ok HTTP/1.1\r\nHost: x\r\n\r\n")
        got = b""
        while not got.endswith(b"helloworld"):
            got += c.recv(1000)
    c.sendall(b"%s %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (
        b"POST" if body else b"GET", path.encode(), b"Content-Length: 10\r\n" if body else b""))
    if body:
        c.sendall(b"hello")
        arrived(path)
        c.sendall(b"" if leaves else b"world")
    if leaves:
        arrived(path)
        while "part" in path and b"hello" not in c.recv(1000):
            pass
        reset(c)
        return "left"
    got, want = b"", 1
    try:
        while piece := c.recv(1000):
            got += piece
            head, _, data = got.partition(b"\r\n\r\n")
            if _ and len(data) >= int(head.lower().split(b"content-length: ")[1].split()[0]):
                break
        else:
            return "%s cut" % got.split()[1].decode() if got else "closed"
    except ConnectionResetError:
        return "%s cut" % got.split()[1].decode() if got else "closed"
    return got.split()[1].decode()


serve_each(args.back, lambda s: Served(s).run())

# What happens; whether the request has a body, of which a half is at the server before; how the
# client leaves. Then what the client is told and the log says: HTTP/2, the same over a connection
# to the server that was used before, HTTP/1, the same again. x4: the server is asked four times. A
# client of HTTP/1 whose connection ends where a used one broke asks again by itself: it is told no
# more, and nothing is logged. FIN does not end an exchange of HTTP/1, nor does RST within an answer
# until there is something to send.
GONE, CUT = "502: 502 SH", "reset 2: 200 SD"
TABLE = [
    ("ok", False, None, "200: 200 --", "200: 200 --", "200: 200 --", "200: 200 --"),
    ("ok", True, None, "200: 200 --", "200: 200 --", "200: 200 --", "200: 200 --"),
    ("rst", False, None, GONE, GONE, GONE, GONE),
    ("rst", True, None, GONE, GONE, GONE, GONE),
    ("refused", False, None, GONE + " x4", GONE + " x4", GONE + " x4", GONE + " x4"),
    ("refused", True, None, GONE, GONE, GONE, "closed: none"),
    ("part-rst", False, None, CUT, CUT, "200 cut: 200 SD", "200 cut: 200 SD"),
    ("goaway", False, None, GONE + " x4", GONE + " x4", GONE + " x4", GONE + " x4"),
    ("goaway", True, None, GONE, GONE, GONE, "closed: none"),
    ("goaway-ok", True, None, "200: 200 --", "200: 200 --", "200: 200 --", "200: 200 --"),
    ("part-goaway-ok", True, None, "200: 200 --", "200: 200 --", "200: 200 --", "200: 200 --"),
    ("close", False, None, GONE, GONE, GONE, "closed: none"),
    ("close", True, None, GONE, GONE, GONE, "closed: none"),
    ("part-close", False, None, CUT, CUT, "200 cut: 200 SD", "200 cut: 200 SD"),
    ("goaway-close", False, None, GONE, GONE, GONE, "closed: none"),
    ("error-close", False, None, GONE, GONE, GONE, "closed: none"),
    ("malformed", False, None, "502: 502 PH", "502: 502 PH", "502: 502 PH", "502: 502 PH"),
    ("part-long", False, None, CUT, CUT, "200 cut: 200 SD", "200 cut: 200 SD"),
    ("short", False, None, CUT, CUT, "200 cut: 200 SD", "200 cut: 200 SD"),
    ("silence", False, "rst", "left: 400 CH", "left: 400 CH", "left: 400 CH", "left: 400 CH"),
    ("silence", False, "close", "left: 400 CH", "left: 400 CH", None, None),
    ("silence", True, "rst", "left: -1 CD", "left: -1 CD", "left: -1 CD", "left: -1 CD"),
    ("silence", True, "close", "left: -1 CD", "left: -1 CD", None, None),
    ("part", False, "rst", "left: 200 CD", "left: 200 CD", None, None),
    ("part", False, "close", "left: 200 CD", "left: 200 CD", None, None),
    ("silence", False, "slow", "504: 504 sH", "504: 504 sH", "504: 504 sH", "504: 504 sH"),
    ("part", False, "slow", "reset 2: 200 sD", "reset 2: 200 sD", "200 cut: 200 sD",
     "200 cut: 200 sD"),
]
number = 0
for how, body, leaves, *wanted in TABLE:
    row = []
    for client, used, want in zip((h2_client, h2_client, h1_client, h1_client),
                                  (False, True, False, True), wanted):
        number += 1
        path = f"/{'slow' if leaves == 'slow' else 'be'}/{how}/{number}"
        if want:
            seen = client(path, used, body, None if leaves == "slow" else leaves)
            times = asked.get(path, 0)
            row.append(f"{seen}: {logged(path)}" + (f" x{times}" if times != 1 else ""))
        else:
            row.append(None)
    what = f"{how}{', with a body' if body else ''}{', ' + leaves if leaves else ''}"
    check(f"{what}: {' | '.join(filter(None, row))}", row == wanted)
finish()
