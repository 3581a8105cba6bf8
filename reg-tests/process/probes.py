# SPDX-License-Identifier: BSD-2-Clause
"""The exchanges of probes.sh, and the walk, which probes_around.py has as well: see there."""
import socket
import threading
import zlib

import service
from http1 import Reader
from origin import serve_each
from service import check, connect, finish, until

LARGE = b"0123456789abcdef" * 20000
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
UPGRADED = b"HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"
BACKENDS = "be", "buffered", "queue", "retry", "zip", "tcp"
retried = threading.Event()


def answer(method, path):
    if path == b"/retry" and not retried.is_set():
        retried.set()
        return b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
    if path == b"/chunked":
        return OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    body = LARGE if path in (b"/large", b"/zip", b"/tcp") else b"abc"
    return OK + b"Content-Length: %d\r\n\r\n" % len(body) + (b"" if method == b"HEAD" else body)


def echo(c, got):
    c.sendall(UPGRADED + got)
    while got := c.recv(65536):
        c.sendall(got)


def serve(c):
    reader = Reader(c)
    while head := reader.head():
        method, path = head.split()[:2]
        if path == b"/upgrade":
            echo(c, bytes(reader.held))
            return
        if method == b"POST" and reader.chunks() is None:
            return
        c.sendall(answer(method, path))


def request(method, path, extra="", close=True):
    extra += "Connection: close\r\n" if close else ""
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\n{extra}\r\n".encode()


EXCHANGES = {
    "plain": [request("GET", "/")],
    "HEAD": [request("HEAD", "/")],
    "large": [request("GET", "/large")],
    "kept": [request("GET", "/", close=False), request("GET", "/")],
    "chunked response": [request("GET", "/chunked")],
    "chunked request": [request("POST", "/p", "Transfer-Encoding: chunked\r\n"), b"2\r\nab\r\n",
                        b"4\r\ncdef\r\n0\r\n\r\n"],
    "redirect": [request("GET", "/redirect")],
    "deny": [request("GET", "/deny")],
    "queue": [request("GET", "/queue")],
    "retry": [request("GET", "/retry")],
    "compression": [request("GET", "/zip", "Accept-Encoding: gzip\r\n")],
    "tcp": [request("GET", "/tcp")],
}


def exchange(to, pieces, half=False, wrap=lambda s: s):
    """All that came before the end or the break."""
    got = b""
    retried.clear()
    try:
        with wrap(connect(to)) as s:
            for piece in pieces:
                s.sendall(piece)
            if half:
                s.shutdown(socket.SHUT_WR)
            while piece := s.recv(65536):
                got += piece
    except TimeoutError:
        check(f"{pieces[0]}: the connection comes to an end", False)
    except OSError:
        pass
    return got


def unzipped(got):
    """The head and what the chunks hold, as far as they came."""
    head, _, chunks = got.partition(b"\r\n\r\n")
    if b"gzip" not in head:
        return got
    unzip, plain = zlib.decompressobj(31), b""
    while chunks:
        size, _, rest = chunks.partition(b"\r\n")
        if not rest or not int(size, 16):
            break
        plain += unzip.decompress(rest[:int(size, 16)])
        chunks = rest[int(size, 16) + 2:]
    return head + b"\r\n\r\n" + plain


def right(got, whole):
    """The whole answer, the beginning of it, or at its place one that says that the server is
    gone."""
    got = unzipped(got)
    for status in b"HTTP/1.1 502 ", b"HTTP/1.1 503 ":
        begin, found, _ = got.partition(status)
        if found:
            return whole.startswith(begin)
    return whole.startswith(got)


class Walk:
    """Over the probes of one exchange at a time: pieces that are sent to an address."""

    def __init__(self, it, backends=BACKENDS):
        self.it, self.backends = it, backends

    def probe(self, words):
        return self.it.ask("expert-mode on; debug dev probe" + words)

    def done(self):
        return int(self.probe("").split()[-2])

    def repair(self):
        for backend in self.backends:
            self.it.ask(f"set server {backend}/s health up")

    def one(self, deed, go, right=right, complete=lambda got, whole: got == whole):
        """go() does an exchange and returns what came. How many probes were tried; those at which
        something was wrong."""
        whole, wrong = unzipped(go()), []
        for n in range(1, 3000):
            self.probe(f" {n} {deed}")
            got = go()
            done = self.done()
            self.probe(" 0")
            if not right(got, whole):
                wrong.append((n, got[:200]))
            if deed == "down":
                self.repair()
            if not complete(unzipped(go()), whole):
                wrong.append((n, "the next one"))
            if not done:
                break
        return n, wrong

    def all(self, name, deeds, go, **judges):
        for deed in deeds:
            n, wrong = self.one(deed, go, **judges)
            check(f"{name}: {deed}, up to probe {n}: nobody gets a wrong answer {wrong or ''}", not wrong)


def nothing_left(it, backends=BACKENDS, frontends=("fe", "tcp")):
    rows = [it.stat(b, side) for b in backends for side in ("BACKEND", "s")]
    rows += [it.stat(f, "FRONTEND") for f in frontends]
    return all(row["scur"] == "0" and row["qcur"] in ("", "0") for row in rows) and \
        int(it.info()["CurrConns"]) <= 1  # the one that asks


def serve_all(back):
    serve_each(back, serve)


def main():
    it = service.Service("tcp")
    serve_all(it.args.back)
    walk = Walk(it)
    walk.repair()  # checked before the origin was there
    for name, pieces in EXCHANGES.items():
        to, half = (it.args.tcp, True) if name == "tcp" else (it.args.front, False)
        walk.all(name, ("end", "down"), lambda: exchange(to, pieces, half))
    until("no session, stream or place in a queue is left", lambda: nothing_left(it))
    finish()


if __name__ == "__main__":
    main()
