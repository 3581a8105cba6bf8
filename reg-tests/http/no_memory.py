# SPDX-License-Identifier: BSD-2-Clause
"""What no_memory.sh describes. Each case is what a client says; its allocations are counted by
running it with a number that is never reached, then each of them fails in turn."""

import os
import re
import socket
import struct

from countdown import Countdown
from http1 import Reader, reply
from origin import serve_each
from service import Service, address, check, finish
from sockets import any_server

LONG = b"Value" * 300
service = Service(lambda p: [p.add_argument("--" + n) for n in ("nth", "bytes", "upgraded", "logs", "tls")] +
                  [p.add_argument("--" + n, action="store_true") for n in ("zip", "each", "random")])
args = service.args

countdown = Countdown(args.nth)


# -- the origin ------------------------------------------------------------------------------------

refuse_once = set()


def answer_to(path, body):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Long: " + LONG + b"\r\nSet-Cookie: S=a; path=/\r\n"
    if "chunked" in path:
        return head + b"Transfer-Encoding: chunked\r\n\r\n" + b"1000\r\n" + b"x" * 4096 + b"\r\n0\r\nA: b\r\n\r\n"
    text = b"text " * (40000 if "big" in path else 200 if "zip" in path else 1)
    return head + b"Content-Length: %d\r\n\r\n" % len(text) + text


def serve(s):
    r = Reader(s)
    r.more()
    if r.held.startswith(b"\r\n\r\n\0\r\nQUIT\n"):  # a PROXY header comes whole
        r.exactly(16 + struct.unpack_from(">H", r.held, 14)[0])
    while b"\r\n" not in r.held and b"probe" not in r.held[:5]:
        if not r.more():
            return
    if not r.held.startswith((b"GET", b"POST", b"OTHER", b"HEAD")):
        s.sendall(b"bytes back")
        return
    got = r.message()
    if got is None:
        return
    head, body = got
    path = head.split()[1].decode()
    if "retry" in path and path not in refuse_once:
        refuse_once.add(path)
        s.sendall(reply(status=503))
        return
    s.sendall(answer_to(path, body))


serve_each(args.back, serve)
logs = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
logs.bind(("127.0.0.1", int(args.logs)))
logs.settimeout(60)

# -- the client
# --------------------------------------------------------------------------------------


def exchange(case, n):
    """What came back; b"" when the connection broke before."""
    to = {"tls": args.tls, "bytes": args.bytes, "upgraded": args.upgraded}.get(case.where, args.front)
    got = b""
    try:
        with socket.create_connection(address(to), timeout=60) as s:
            if case.where == "tls":
                s = any_server().wrap_socket(s)
            for piece in case.say(n):
                s.sendall(piece)
            while piece := s.recv(65536):
                got += piece
    except OSError:  # a reset, or no handshake
        pass
    return got


class Case:
    def __init__(self, name, good=b"200", fields=b"", method=b"GET", body=b"", where="plain", pieces=1,
                 also=()):
        self.name, self.good, self.where = name, good, where
        self.fields, self.method, self.body, self.pieces = fields, method, body, pieces
        self.also = also  # what else it may be answered, since it was not its own allocation

    def say(self, n):
        if self.where == "bytes":
            return [b"probe of some bytes!"]  # as long as what the rules wait for
        head = b"%s /c/%s?%d HTTP/1.1\r\nHost: x\r\nX-Long: %s\r\nX-List: a,b,c\r\nCookie: S=s1~x\r\n%s" % (
            self.method, self.name.encode(), n, LONG, self.fields)
        if self.method == b"POST" and b"ransfer" not in self.fields:
            head += b"Content-Length: %d\r\n" % len(self.body)
        whole = head + b"\r\n" + self.body
        half = len(whole) // 2
        return [whole] if self.pieces == 1 else [whole[:half], whole[half:]]


GZIP = b"Accept-Encoding: gzip\r\n"
CHUNKS = b"5\r\nhello\r\n0\r\n\r\n"
cases = [Case(n) for n in (
    "plain", "plain-big", "plain-chunked", "set-header", "add-header", "del-header", "replace-header",
    "replace-value", "set-method", "set-path", "set-pathq", "set-query", "set-uri", "replace-path",
    "replace-uri", "capture", "var", "convert", "return", "file", "hint", "metrics", "map",
    "response", "after", "cookie", "cookie-chunked", "prefixed", "stick", "stats", "proxy-header",
    "own500", "normalize//a/../b")]
cases += [
    Case("deny", b"429"), Case("tarpit", b"500"), Case("auth", b"401"), Case("redirect", b"302"),
    Case("to-prefix", b"302"), Case("answer", b"203"), Case("bare", b"204"), Case("redir-server", b"302"),
    Case("retry", fields=b"", method=b"GET"), Case("retry-post", method=b"POST", body=b"x" * 3000),
    Case("wait", method=b"POST", body=b"x" * 5000, pieces=2),
    Case("wait-chunks", method=b"POST", body=CHUNKS, fields=b"Transfer-Encoding: chunked\r\n"),
    Case("buffer", method=b"POST", body=b"x" * 5000, pieces=2),
    Case("buffer-chunks", method=b"POST", body=CHUNKS, fields=b"Transfer-Encoding: chunked\r\n"),
    Case("plain-two", pieces=2), Case("post", method=b"POST", body=b"x" * 30000),
    Case("bytes", b"bytes back", where="bytes"), Case("plain-upgraded", where="upgraded"),
]
if args.zip:
    cases += [Case("zip", fields=GZIP), Case("zip-big", fields=GZIP), Case("zip-chunked", fields=GZIP)]
if args.tls:
    cases += [Case("plain-tls", where="tls"), Case("plain-big-tls", where="tls"), Case("to-tls", also=(b"502", b"503"))]
wanted = os.environ.get("ONLY", "").split()  # names, to look at few of them
cases = [case for case in cases if not wanted or case.name in wanted]
probe = Case("probe")
lines = []


def log_until(mark):
    """The lines up to the one that has the mark."""
    got = []
    while True:
        line = logs.recv(65536).decode(errors="replace")
        if mark in line:
            return got
        got.append(line)


def good(case, got):
    if case.where == "bytes":
        return got == case.good
    got = re.sub(rb"(?s)^HTTP/1.1 103.*?\r\n\r\n", b"", got)
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    complete = got.endswith(b"\r\n\r\n") if b"hunked" in head else not length or len(body) == int(length.group(1))
    return head[9:12] == case.good and complete


def judge(case, n, probes):
    """The n-th allocation fails. True: it has so many."""
    countdown.set(n)
    got = exchange(case, n)
    reached = countdown.left() <= 0
    countdown.set(0)
    after = exchange(probe, probes)
    if not after:
        raise OSError("nobody answers any more")
    said = log_until("/c/probe?%d " % probes)
    problems = []
    if not good(probe, after):
        problems.append("the next exchange got %r" % after[:60])
    if not good(case, got):
        if not reached:
            problems.append("without a fault it got %r" % got[:200])
        whole = got.partition(b"\r\n\r\n")[0]
        status = re.sub(rb"(?s)^HTTP/1.1 103.*?\r\n\r\n", b"", got)[9:12]
        if status in case.also:
            return reached
        if status and status not in (b"500", case.good):
            problems.append("it got %r" % whole[:60])
        told = [line for line in said if re.search(r"\{\S+ R|Out of memory", line)]
        if said and not told:
            problems.append("logged as %r" % [line[-80:] for line in said])
        if not said and got:
            problems.append("not logged")
    for problem in problems:
        lines.append("%s, allocation %d: %s" % (case.name, n, problem))
    return reached


if args.random:
    turns = 400 // len(cases) + 1
    whole = sum(good(case, exchange(case, turn)) for turn in range(turns) for case in cases)
    check("%d of %d exchanges were whole" % (whole, turns * len(cases)), 0 < whole < turns * len(cases))
    finish()

probes = 0
total = 0
exchange(probe, 0)
log_until("/c/probe?0 ")
for case in cases:
    before, n = len(lines), 1
    tried = 0
    while True:
        probes += 1
        try:
            reached = judge(case, n, probes)
        except OSError as e:
            lines.append("%s, allocation %d: %s" % (case.name, n, e))
            break
        tried += 1
        if not reached:
            break
        n += 1 if args.each or n < 30 else 1 + n // 12
    total += tried
    check("%s: %d of %d allocations have failed" % (case.name, tried - 1, n - 1), len(lines) == before)
    for line in lines[before:before + 12]:
        print("        " + line)
    if lines and "nobody answers" in lines[-1]:
        break
check("allocations that have failed: %d" % (total - len(cases)), total > 5 * len(cases))
finish()
