# SPDX-License-Identifier: BSD-2-Clause
"""What bandwidth.sh describes."""

import gzip
import os
import random
import signal
import socket
import threading
import time

from http1 import Answer, chunked, reply
from origin import serve
from service import Service, check, connect, finish, until
from sockets import reset

sv = Service()
front, back, stats, folder = sv.args.front, sv.args.back, sv.args.stats, sv.args.dir
NOISE = random.Random(1).randbytes(1 << 20)


def body_of(path, n):
    if "text" in path:
        return b"".join(b"line %d of what compresses %d\n" % (i, i * i) for i in range(n // 30))[:n]
    return (NOISE * (n // len(NOISE) + 1))[:n]


def answer(r):
    body = body_of(r.path, int(r.path.split("/")[2]))
    if b"pgrade: x" in r.head:
        r.s.sendall(b"HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + body)
        return None
    if "empty" in r.path:
        return b"HTTP/1.1 204 None\r\n\r\n"
    if r.method == "HEAD":
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    if "chunked" in r.path:
        return chunked(body, "Content-Type: text/plain", size=5000, trailers=("X-Trailer: 1",))
    if "close" in r.path:
        r.s.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body)
        return None
    return reply(body, "Content-Type: text/plain")


serve(back, answer)


class Paced:
    """Notes when which bytes came; more than the rate allows, and a tenth of a second of it, is a
    fault."""
    def __init__(self, s, rate=None, head=600):
        self.s, self.rate, self.head, self.got, self.over, self.begin = s, rate, head, b"", None, time.monotonic()

    def read(self, most=65536):
        piece = self.s.recv(most)
        self.got += piece
        self.took = time.monotonic() - self.begin
        if self.rate and len(self.got) > self.head + self.rate * (self.took + 0.1):
            self.over = self.over or "%d bytes after %.3f s" % (len(self.got), self.took)
        return piece


def get(sentence, to, path, rate=None, least=0, method="GET", more="", version="1.1", post=b"", wire=None):
    with connect(to) as s:
        p = Paced(s, rate)
        s.sendall(("%s %s HTTP/%s\r\nHost: a\r\nConnection: close\r\n%s%s\r\n" % (method, path, version, more,
                  "Content-Length: %d\r\n" % len(post) if post else "")).encode() + post)
        while p.read():
            pass
    answer = Answer(p.got)
    body, size = answer.body, len(answer.body)
    if answer.fields.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    want = b"" if method == "HEAD" or "empty" in path else body_of(path, int(path.split("/")[2]))
    check("%s: whole (%d of %d)" % (sentence, len(body), len(want)), body == want)
    check("%s: not too fast (%s)" % (sentence, p.over), not p.over)
    check("%s: not before its time (%.2f s)" % (sentence, p.took), p.took >= least)
    if wire:
        check("%s: %d bytes on the wire" % (sentence, size), wire(size))


K = 1024
threads = []


def at_once(*a, **k):
    threads.append(threading.Thread(target=get, args=a, kwargs=k))
    threads[-1].start()


at_once("a known length", front, "/slow/120000", 100 * K, 1.0)
at_once("chunks", front, "/slow/120000/chunked", 100 * K, 1.0)
at_once("chunks to HTTP/1.0", front, "/slow/120000/chunked", 100 * K, 1.0, version="1.0")
at_once("to the close", front, "/slow/120000/close", 100 * K, 1.0)
at_once("HEAD", front, "/slow/120000", 100 * K, method="HEAD")
at_once("204", front, "/slow/0/empty", 100 * K)
at_once("one byte", front, "/slow/1", 100 * K)
at_once("two limits", front, "/both/60000", 50 * K, 1.0)
at_once("an upload", front, "/up/10", None, 0.8, method="POST", post=NOISE[:120000])
at_once("expressions", front, "/expr/40000/x", 80000, 0.4)
at_once("an expression that finds nothing", front, "/none/60000", 50 * K, 1.0)
at_once("a huge limit", front, "/huge/3000000")
at_once("bytes one by one outlive the timeouts", front, "/drops/3", None, 2.0)
at_once("other requests", front, "/other/3000000")
if os.environ.get("COMPRESS"):
    gz = "Accept-Encoding: gzip\r\n"
    at_once("behind compression", folder + "/after.sock", "/x/600000/text", 100 * K, 0.8, more=gz,
            wire=lambda n: n < 300000)
    at_once("before compression", folder + "/before.sock", "/x/120000/text", 100 * K, 1.0, more=gz,
            wire=lambda n: n < 100000)
    at_once("behind compression, chunks", folder + "/after.sock", "/x/600000/text/chunked", 100 * K, 0.8, more=gz)
    at_once("behind compression that does not take place", folder + "/after.sock", "/x/120000", 100 * K, 1.0)


def tunnel():
    with connect(front) as s:
        p = Paced(s, 100 * K)
        s.sendall(b"GET /slow/100000 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
        while p.read():
            pass
    check("a tunnel: whole", p.got.split(b"\r\n\r\n", 1)[1] == NOISE[:100000])
    check("a tunnel: not too fast (%s), %.2f s" % (p.over, p.took), not p.over and p.took > 0.8)


def stream():
    with connect(folder + "/tcp.sock") as s:
        post = NOISE[:100000]
        p = Paced(s, 100 * K)
        s.sendall(b"POST /x/100000/close HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(post) + post)
        while p.read():
            pass
    check("mode tcp: whole", p.got.endswith(NOISE[:100000]))
    check("mode tcp: both ways, one after the other (%.2f s)" % p.took, p.took > 1.7)


def kept():
    with connect(front) as s:
        p = Paced(s, 100 * K, 2000)
        for i in range(3):
            s.sendall(b"GET /slow/40000 HTTP/1.1\r\nHost: a\r\n\r\n")
            end = (i + 1) * 40000
            while len(p.got.replace(b"\r\n\r\n", b"")) < end or not p.got.endswith(NOISE[39990:40000]):
                if not p.read():
                    break
    check("three exchanges of a connection: whole", p.got.count(NOISE[:40000]) == 3)
    check("three exchanges of a connection (%.2f s, %s)" % (p.took, p.over), p.took > 1.0)


for f in tunnel, stream, kept:
    threads.append(threading.Thread(target=f))
    threads[-1].start()
for t in threads:
    t.join()


COUNTS = ("BytesSpliced", "BytesCopied", "SpliceFallbackRefused", "SpliceFallbackHidden", "SpliceFallbackUrgent",
          "SpliceFallbackNoPipe")
before = [int(sv.info()[name]) for name in COUNTS]
get("a large one", front, "/large/12000000", 40 * K * K)
spliced, copied, *fallbacks = [int(sv.info()[name]) - n for name, n in zip(COUNTS, before)]
check("of 12000000 bytes under a limit %d went through pipes" % spliced, spliced > 9000000)
check("no more was copied than what came with the head (%d), or for a reason (%s)" % (copied, fallbacks),
      copied <= 131072 or any(fallbacks))

waiting = []
for i in range(50):
    s = connect(front)
    s.sendall(b"GET /never/100 HTTP/1.1\r\nHost: a\r\n\r\n")
    s.recv(10)
    waiting.append(s)
check("fifty are held up", int(sv.info()["CurrConns"]) >= 50)
for s in waiting[:25]:
    reset(s)
until("who resets while held up is not waited for", lambda: int(sv.info()["CurrConns"]) <= 26)
for s in waiting[25:]:
    s.shutdown(socket.SHUT_RDWR)
    s.close()

s = connect(front)
p = Paced(s)
s.sendall(b"GET /slow/150000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
while len(p.got) < 20000:
    p.read()
os.kill(sv.args.pid, signal.SIGUSR1)
while p.read():
    pass
check("a transfer that is held up outlives a soft stop", len(p.got) > 150000)
finish()
