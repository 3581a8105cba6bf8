# SPDX-License-Identifier: BSD-2-Clause
"""What chain.sh describes."""

import gzip
import os
import random
import socket
import ssl
import threading

from service import Service, address, check, connect, finish

sv = Service(lambda p: (p.add_argument("--last"), p.add_argument("--pem"), p.add_argument("--next")))
TEXT = b"".join(b"line %d of what compresses %d\n" % (i, i * i) for i in range(6000))
seen, lock = set(), threading.Lock()


def first_time(path):
    with lock:
        new = path not in seen
        seen.add(path)
    return new


def body_of(path):
    return TEXT + path.encode()


def answer(s, head, body):
    method, path = (word.decode() for word in head.split()[:2])
    again = "/again" in path and first_time(path)
    if again and "/close" in path:
        return False
    text = b"Content-Type: text/plain\r\n"
    if again:
        s.sendall(b"HTTP/1.1 503 Later\r\n" + text + b"Content-Length: 5\r\n\r\nlater")
    elif "/204" in path:
        s.sendall(b"HTTP/1.1 204 None\r\n\r\n")
    elif "/304" in path:
        s.sendall(b"HTTP/1.1 304 Same\r\n" + text + b"Content-Length: 77\r\nETag: \"x\"\r\n\r\n")
    else:
        whole = body if method == "POST" else body_of(path)
        if "/chunked" in path:
            lines = b"".join(b"%x\r\n%s\r\n" % (len(whole[i:i + 7000]), whole[i:i + 7000])
                             for i in range(0, len(whole), 7000))
            head, whole = b"Transfer-Encoding: chunked\r\n", lines + b"0\r\n\r\n"
        else:
            head = b"Content-Length: %d\r\n" % len(whole)
        s.sendall(b"HTTP/1.1 200 OK\r\n" + text + head + b"\r\n" + (b"" if method == "HEAD" else whole))
    return True


class Reader:
    def __init__(self, s):
        self.s, self.held = s, b""

    def more(self):
        piece = self.s.recv(65536)
        self.held += piece
        return piece

    def take(self, n):
        while len(self.held) < n and self.more():
            pass
        piece, self.held = self.held[:n], self.held[n:]
        return piece

    def until(self, mark):
        while mark not in self.held:
            if not self.more():
                return None
        piece, self.held = self.held.split(mark, 1)
        return piece

    def message(self, bodiless=lambda head: False):
        """Head and body, or None."""
        head = self.until(b"\r\n\r\n")
        if head is None or bodiless(head):
            return head and (head, b"")
        fields = head.lower()
        body = b""
        if b"encoding: chunked" in fields:
            while (size := int(self.until(b"\r\n"), 16)):
                body += self.take(size + 2)[:-2]
            self.until(b"\r\n")
        elif b"content-length: " in fields:
            body = self.take(int(fields.split(b"content-length: ")[1].split()[0]))
        return head, body


def serve(s, context):
    try:
        with context.wrap_socket(s, server_side=True) as s:
            r = Reader(s)
            while (got := r.message()):
                if not answer(s, *got):
                    return
    except OSError:
        pass


def origin():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sv.args.pem)
    with socket.create_server(address(sv.args.back), backlog=100) as o:
        while True:
            threading.Thread(target=serve, args=(o.accept()[0], context), daemon=True).start()


threading.Thread(target=origin, daemon=True).start()
any_server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
any_server.check_hostname, any_server.verify_mode = False, ssl.CERT_NONE


def client(where):
    return any_server.wrap_socket(connect(where))


def ask_for(s, path, gz, method="GET", post=b""):
    s.sendall(("%s %s HTTP/1.1\r\nHost: a\r\n%s%s\r\n" % (method, path, gz and "Accept-Encoding: gzip\r\n",
              "Content-Length: %d\r\n" % len(post) if post else "")).encode() + post)


def plain(head, body):
    return gzip.decompress(body) if b"content-encoding: gzip" in head.lower() else body


NOISE = random.Random(3).randbytes(150000)
CASES = [("GET", "/a", b""), ("HEAD", "/a", b""), ("GET", "/204", b""), ("GET", "/304", b""),
         ("GET", "/chunked", b""), ("HEAD", "/chunked", b""), ("POST", "/a", NOISE), ("POST", "/chunked", NOISE),
         ("GET", "/again/%s", b""), ("GET", "/again/close/%s", b""), ("GET", "/again/chunked/%s", b""),
         ("HEAD", "/again/%s/head", b""), ("GET", "/again/204/%s", b""), ("POST", "/again/%s/post", NOISE[:5000]),
         ("GET", "/b", b"")]


def all_kinds(name, where):
    for gz in "", "gzip":
        with client(where) as s:
            r = Reader(s)
            for method, path, post in CASES:
                path = path.replace("%s", name + gz)
                ask_for(s, path, gz, method, post)
                status = b"204" if "204" in path else b"304" if "304" in path else b"200"
                none = method == "HEAD" or status != b"200"
                got = r.message(lambda head: none)
                if not got:
                    check("%s: %s %s %s: an answer" % (name, method, path, gz), False)
                    return
                head, body = got
                want = b"" if none else post or body_of(path)
                packed = b"content-encoding: gzip" in head.lower()
                check("%s: %s %s %s: whole" % (name, method, path, gz),
                      head.split()[1] == status and plain(head, body) == want)
                check("... compressed: %s" % packed, none or packed == (gz != ""))
                check("... nothing more", not r.held)


all_kinds("first", sv.args.front)
all_kinds("last", sv.args.last)
elsewhere = int(sv.stat("last", "BACKEND", lambda command: sv.worker(1, command))["wredis"])
check("requests went on to another server: %d" % elsewhere, elsewhere > 0)

with client(sv.args.front) as old:
    r = Reader(old)
    ask_for(old, "/slow", "")
    while len(r.held) < 10000:
        r.more()
    os.replace(sv.args.next, sv.cfg)
    check("a reload", "Success=1" in sv.parent("reload"))
    with client(sv.args.front) as s:
        ask_for(s, "/a", "gzip")
        head, body = Reader(s).message()
        check("what begins now is not compressed", b"gzip" not in head and body == body_of("/a"))
    all_kinds("changed", sv.args.last)
    head, body = r.message()
    check("what was under way arrives whole", body == body_of("/slow"))
finish()
