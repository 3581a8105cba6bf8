# SPDX-License-Identifier: BSD-2-Clause
"""Targets of the log that get into trouble while requests come. Called by trouble.sh."""
import os
import random
import re
import socket
import threading
import time

from http1 import Reader
from service import Service, address, check, connect, finish, until

service = Service("disk")
args = service.args
seed = int(os.environ.get("TROUBLE_SEED", random.randrange(1 << 30)))
random.seed(seed)
print("TROUBLE_SEED=%u" % seed, flush=True)
LINE = re.compile(rb"^line /(\d+)(?:/a*)?;$")


class Numbers:
    """Those of the lines that came; what is no whole line counts as broken."""

    def __init__(self):
        self.seen, self.broken, self.twice = set(), 0, 0

    def take(self, line):
        found = LINE.match(line)
        if not found:
            self.broken += line.startswith(b"line") and line.endswith(b";")
            return
        number = int(found.group(1))
        self.twice += number in self.seen
        self.seen.add(number)


class Collector(Numbers):
    """Datagrams; it reads only while it is awake."""

    def __init__(self):
        super().__init__()
        self.path, self.socket, self.awake = os.path.join(args.dir, "collector"), None, True
        self.come()

    def come(self):
        if self.socket is None:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self.socket.setblocking(False)
            self.socket.bind(self.path)

    def go(self):
        if self.socket:
            self.read()
            self.socket.close()
            os.unlink(self.path)
            self.socket = None

    def read(self):
        try:
            while self.socket:
                self.take(self.socket.recv(65536).rstrip(b"\n"))
        except BlockingIOError:
            pass


class Server(Numbers):
    """A TCP server of the ring, in a thread of its own."""

    def __init__(self):
        super().__init__()
        self.listener = self.conn = None
        self.awake = True
        self.ends = False
        self.come()

    def come(self):
        if self.listener is None:
            self.listener = socket.socket()
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            self.listener.bind(address(args.back))
            self.listener.listen(10)
            self.ends = False
            self.thread = threading.Thread(target=self.serve, args=(self.listener,), daemon=True)
            self.thread.start()

    def go(self):
        """All that was sent to it was read."""
        if self.listener:
            self.ends = True
            self.thread.join()
            self.listener.close()
            self.listener = None

    def serve(self, listener):
        listener.settimeout(0.02)
        while not self.ends:
            try:
                conn, _ = listener.accept()
            except TimeoutError:
                continue
            self.one(conn)

    def one(self, conn):
        conn.settimeout(0.02)
        rest = b""
        while True:
            if not self.awake and not self.ends:
                time.sleep(0.01)
                continue
            try:
                piece = conn.recv(65536)
            except TimeoutError:
                if self.ends:
                    break
                continue
            if not piece:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                self.take(line)
        conn.close()


def in_file():
    numbers = Numbers()
    with open(service.log if not args.disk else os.path.join(args.disk, "log"), "rb") as f:
        for line in f.read().split(b"\n"):
            numbers.take(line)
    return numbers


def fill():
    with open(os.path.join(args.disk, "filler"), "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 4096):
                pass
        except OSError:
            pass


def free():
    if args.disk and os.path.exists(os.path.join(args.disk, "filler")):
        os.unlink(os.path.join(args.disk, "filler"))


service.log = os.path.join(args.dir, "disk/log")
collector, server = Collector(), Server()
client, sent, slowest, most = None, 0, 0.0, 0


def requests(n):
    """Each is answered at once."""
    global client, sent, slowest
    client = client or connect(args.front)
    for _ in range(n):
        path = b"/%u" % sent
        if server.listener is None or not server.awake:
            path += b"/" + b"a" * random.choice((1, 100, 900))
        began = time.monotonic()
        client.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: h\r\n\r\n")
        answer = Reader(client).head()
        if not answer.startswith(b"HTTP/1.1 200"):
            raise SystemExit("not served: %r" % answer)
        slowest = max(slowest, time.monotonic() - began)
        sent += 1
        if collector.awake:
            collector.read()


def ring_dropped():
    return int(re.search(r"r +: type=buffer, (\d+) dropped", service.ask("show events")).group(1))


def ring_has_all():
    return len(server.seen) + ring_dropped() == sent


def leave():
    """The server leaves when it has read all: what a peer had not read is lost in the kernel."""
    if server.listener and server.awake and ring_has_all():
        server.go()


acts = [collector.come, collector.go, lambda: setattr(collector, "awake", False), lambda: setattr(collector, "awake", True),
        server.come, leave, lambda: setattr(server, "awake", False), lambda: setattr(server, "awake", True)]
if args.disk:
    acts += [fill, free]
requests(20)
for _ in range(60):
    random.choice(acts)()
    requests(random.choice((1, 5, 20)))
    most = max(most, ring_dropped())
# Each of them once, in any case.
for act in acts:
    act()
    requests(10)
free()
collector.come()
collector.awake = server.awake = True
collector.read()
server.come()
until("the ring's server has got what was not dropped", ring_has_all)
requests(20)
until("and what comes now", ring_has_all)
collector.read()
dropped = int(service.info()["DroppedLogs"])
there = in_file()
check("no line came twice or broken", not (collector.twice + collector.broken + server.twice + server.broken +
                                           there.twice + there.broken))
good = len(collector.seen) + len(there.seen) + len(server.seen) + dropped == 3 * sent
check("lines that came, and those that were counted, are all: %u of each, %u + %u + %u came, %u dropped, %u by the ring" %
      (sent, len(collector.seen), len(there.seen), len(server.seen), dropped, ring_dropped()), good)
for what, numbers in ("the collector", collector), ("the ring's server", server), ("the file", there):
    check("the last lines came, to " + what, sent - 1 in numbers.seen)
check("no request waited: %.3f s at most" % slowest, slowest < 5)
finish()
