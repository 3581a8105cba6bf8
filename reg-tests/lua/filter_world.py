# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of filters that are scripts share: proxies with filters over each protocol, an
origin that sends back what it was sent, clients that judge every byte."""
import base64
import hashlib
import random
import socket
import threading

import http1
from origin import serve_each
from service import PATIENCE, connect

# ---- what filters make of bytes: as in filters.lua -----------------------------------------------


def swap(b):
    even = len(b) & ~1
    new = bytearray(b)
    new[0:even:2], new[1:even:2] = b[1:even:2], b[0:even:2]
    return bytes(new)


def double(b):
    new = bytearray(2 * len(b))
    new[0::2] = new[1::2] = b
    return bytes(new)


CHANGES = {
    "upper": bytes.upper,
    "double": double,
    "drop": lambda b: b.translate(None, b"wxyz"),
    "swap": swap,
    "brackets": lambda b: b and b"<<" + b + b">>",
    "same": lambda b: b,
}


def changed(body, kinds):
    """kinds: "upper", "swap hold" ..."""
    for kind in kinds:
        body = CHANGES[kind.split()[0]](body)
    return body


# ---- proxies -------------------------------------------------------------------------------------


class Proxy:
    """Filters of the frontend and of the backend, words of other filters in between. way: h1, h2 or
    tls, on both ends."""

    def __init__(self, name, kinds, way="h1", split=None, others=(), mode="http", lines=()):
        self.name, self.kinds, self.way, self.mode = name, list(kinds), way, mode
        self.split = len(self.kinds) if split is None else split
        self.others, self.lines = others, lines

    def filters(self, kinds):
        return "".join(f"\tfilter lua.change {kind}\n" for kind in kinds)

    def sections(self, folder, back, pem):
        n, binds, servers = self.name, "", ""
        extra = "".join(f"\t{line}\n" for line in self.lines)
        where, origin = f"{folder}/{n}.sock", back
        text = ""
        if self.way != "h1":
            binds, servers = {"h2": ("proto h2", "proto h2"),
                              "tls": (f"ssl crt {pem} alpn h2,http/1.1",
                                      "ssl verify none alpn h2 sni str(www.example.com)")}[self.way]
            text += (f"listen {n}_in\n\tmode {self.mode}\n\tbind unix@{folder}/{n}_in.sock\n"
                     f"\tserver s unix@{folder}/{n}_x.sock {servers}\n"
                     f"listen {n}_out\n\tmode {self.mode}\n\tbind unix@{folder}/{n}_out.sock {binds}\n"
                     f"\tserver s {back}\n")
            where, origin = f"{folder}/{n}_x.sock", f"unix@{folder}/{n}_out.sock"
        front, behind = self.kinds[:self.split], self.kinds[self.split:]
        before, after = self.others[:len(self.others) // 2], self.others[len(self.others) // 2:]
        return text + (f"frontend {n}\n\tmode {self.mode}\n\tbind unix@{where} {binds}\n{extra}"
                       + "".join(f"\t{line}\n" for line in before) + self.filters(front)
                       + f"\tdefault_backend {n}_b\nbackend {n}_b\n\tmode {self.mode}\n"
                       + self.filters(behind) + "".join(f"\t{line}\n" for line in after)
                       + f"\tserver s {origin} {servers}\n")

    def where(self, folder):
        return f"{folder}/{self.name}{'' if self.way == 'h1' else '_in'}.sock"


# ---- messages ------------------------------------------------------------------------------------


def in_chunks(body, rnd, trailers=b""):
    parts, at = [], 0
    while at < len(body):
        n = rnd.choice((1, 7, 1000, 16384, 70000))
        piece = body[at:at + n]
        parts.append(b"%x\r\n%s\r\n" % (len(piece), piece))
        at += n
    return b"".join(parts) + b"0\r\n" + trailers + b"\r\n"


# ---- the origin ----------------------------------------------------------------------------------


class Reader(http1.Reader):
    """What is cut raises EOFError."""

    def fields(self):
        """The head of a message, or None where there is none: its first line, its fields."""
        head = self.head()
        if head is None:
            if self.held:
                raise EOFError
            return None
        return head.decode("latin-1").split("\r\n")[0], http1.fields_of(head)

    def content(self, fields, until_close=False):
        """The body and its trailers; b"", []: there is none."""
        if "chunked" in fields.get("transfer-encoding", ""):
            found = self.chunks()
        elif "content-length" in fields:
            found = self.exactly(int(fields["content-length"]))
            found = None if found is None else (found, [])
        else:
            found = self.rest() if until_close else b"", []
        if found is None:
            raise EOFError
        return found


class Echo:
    """Answers with the body that it was sent, or, of GET /N, with N bytes; X-How says how: length,
    chunked, trailers, close, 204, 304, break (the half of it), early (before the body), 503
    (first)."""

    def __init__(self, where):
        self.seen, self.lock = set(), threading.Lock()
        self.bodies = {}  # by X-Id, as they came
        self.listener = serve_each(where, self.serve)


    def serve(self, s):
        s.settimeout(PATIENCE)
        r = Reader(s)
        while got := r.fields():
            if not self.answer(s, r, *got):
                return

    def first_time(self, what):
        with self.lock:
            new = what not in self.seen
            self.seen.add(what)
        return new

    def answer(self, s, r, line, fields):
        method, path, _ = line.split(" ")
        how, name = fields.get("x-how", "length"), fields.get("x-id", "-")
        rnd = random.Random(name)
        if fields.get("upgrade"):
            return self.tunnel(s, r, fields)
        if "100-continue" in fields.get("expect", ""):
            s.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if how == "early":
            s.sendall(b"HTTP/1.1 200 OK\r\nX-Id: %s\r\nContent-Length: 5\r\n\r\nearly" % name.encode())
        body, trailers = r.content(fields)
        if method != "GET" and method != "HEAD":
            self.bodies[name] = body
        if how == "early":
            return True
        if how == "503" and self.first_time(name):
            s.sendall(b"HTTP/1.1 503 Later\r\nContent-Length: 5\r\n\r\nlater")
            return True
        whole = pattern(int(path[1:])) if method in ("GET", "HEAD") else body
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Id: %s\r\n" % name.encode()
        if trailers:
            head += b"X-Trailer: %s\r\n" % trailers[0]
        if how == "204":
            s.sendall(b"HTTP/1.1 204 None\r\nX-Id: %s\r\n\r\n" % name.encode())
            return True
        if how == "304":
            s.sendall(b"HTTP/1.1 304 Same\r\nContent-Length: 77\r\nX-Id: %s\r\n\r\n" % name.encode())
            return True
        if how in ("chunked", "trailers"):
            head += b"Transfer-Encoding: chunked\r\n\r\n"
            whole = in_chunks(whole, rnd, b"X-End: yes\r\n" if how == "trailers" else b"")
        elif how == "close":
            head += b"Connection: close\r\n\r\n"
        else:
            head += b"Content-Length: %d\r\n\r\n" % len(whole)
        if method == "HEAD":
            whole = b""
        if how == "break":
            whole = whole[:len(whole) // 2]
        s.sendall(head + whole)
        return how not in ("close", "break")

    def tunnel(self, s, r, fields):
        answers = hashlib.sha1(fields["sec-websocket-key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        s.sendall(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: %s\r\nSec-WebSocket-Accept: %s\r\n\r\n" %
                  (fields["upgrade"].encode(), base64.b64encode(answers.digest())))
        while r.held or r.more():
            s.sendall(r.exactly(len(r.held)))
        return False


def pattern(n):
    """Text with all letters, lines, and bytes of all values."""
    one = bytes(range(256)) + b"".join(b"the quick brown fox %d jumps over lazy dogs\n" % i for i in range(300))
    return (one * (n // len(one) + 1))[:n]


# ---- clients -------------------------------------------------------------------------------------


class Client:
    def __init__(self, where, small=False):
        self.s = connect(where)
        if small:
            self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.r = Reader(self.s)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()

    def request(self, name, method="GET", path="/1000", how="length", body=None, coding="length", more=""):
        """Its bytes."""
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nX-Id: {name}\r\nX-How: {how}\r\n{more}"
        if body is None:
            return head.encode() + b"\r\n"
        rnd = random.Random(name)
        if coding == "length":
            return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        trailers = b"X-T: t%s\r\n" % name.encode() if coding == "trailers" else b""
        return f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + in_chunks(body, rnd, trailers)

    def send(self, data):
        """Beside what is read."""
        def run():
            try:
                self.s.sendall(data)
            except OSError:
                pass
        t = threading.Thread(target=run, daemon=True)
        t.start()
        return t

    def response(self, method="GET"):
        """Status, fields, body, trailers; None where the connection ends before."""
        while got := self.r.fields():
            line, fields = got
            status = int(line.split()[1])
            if status >= 200 or status == 101:
                break
        else:
            return None
        if method == "HEAD" or status in (101, 204, 304):
            return status, fields, b"", []
        body, trailers = self.r.content(fields, until_close=True)
        return status, fields, body, trailers


def judge(proxy, client, name, method, path, how, body, got):
    """What is wrong with an answer, or None."""
    if not got:
        return "no answer"
    status, fields, answer, trailers = got
    if fields.get("x-id") != name:
        return "the answer of another request: %s" % fields
    wanted = {"204": 204, "304": 304}.get(how, 200)
    if status != wanted:
        return "status %d" % status
    if method == "HEAD" or wanted != 200:
        want = b""
    elif how == "early":
        want = changed(b"early", proxy.kinds)
    elif body is None:
        want = changed(pattern(int(path[1:])), proxy.kinds)
    else:
        want = changed(changed(body, proxy.kinds), proxy.kinds)
    if answer != want:
        at = next((i for i, (a, b) in enumerate(zip(answer, want)) if a != b), min(len(answer), len(want)))
        return "%d bytes, not %d: the first other one is at %d: %r, not %r" % (
            len(answer), len(want), at, answer[at:at + 20], want[at:at + 20])
    if how == "trailers" and method != "HEAD" and proxy.way == "h1" and trailers != [b"X-End: yes"]:
        return "trailers: %s" % trailers
    return None
