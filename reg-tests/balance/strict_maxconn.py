# SPDX-License-Identifier: BSD-2-Clause
"""The origins of strict_maxconn.sh, which count their connections, and its claims."""

import os
import select
import signal
import socket
import threading

from service import PATIENCE, Service, address, check, connect, finish, until

MOST = 2
SESSIONS = 24


class Origin:
    """One thread: what is closed is seen before the next connection is counted."""

    def __init__(self, where):
        self.listener = socket.create_server(address(where), backlog=200)
        self.listener.setblocking(False)
        self.open, self.most = set(), 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            ready = select.select([self.listener, *self.open], [], [])[0]
            for c in ready:
                if c is self.listener:
                    self.accept()
            for c in [c for c in ready if c in self.open]:
                self.answer(c)

    def accept(self):
        c = self.listener.accept()[0]
        for old in list(self.open):
            self.look(old)
        self.open.add(c)
        if len(self.open) > self.most:
            self.most = max(self.most, min(len(self.open), self.held()))

    def held(self):
        """Connections that the other side has not closed. What it has closed is in this state at
        once; its FIN may come behind the next connection where the processors are busy."""
        port = ":%04X" % self.listener.getsockname()[1]
        with open("/proc/net/tcp") as f:
            rows = [line.split() for line in f.readlines()[1:]]
        return sum(row[2].endswith(port) and row[3] in ("01", "02") for row in rows)

    def look(self, c):
        try:
            if c.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b"":
                self.close(c)
        except BlockingIOError:
            pass
        except OSError:
            self.close(c)

    def close(self, c):
        self.open.discard(c)
        c.close()

    def answer(self, c):
        try:
            if c.recv(65536):
                c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            else:
                self.close(c)
        except OSError:
            self.close(c)


def client(service, path, requests, headers, done):
    """A session that stays; its first request takes no connection that others have used once."""
    with connect(service.args.front) as s:
        for _ in range(requests):
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
            done.append(s.recv(65536).startswith(b"HTTP/1.1 200"))


def sessions(service, path, n, requests, headers=""):
    """At once. Each has its answers."""
    done = []
    threads = [threading.Thread(target=client, args=(service, path, requests, headers, done))
               for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return len(done) == n * requests and all(done)


def in_turn(service, path, n):
    """One after the other, while those before are open still."""
    kept = [connect(service.args.front) for _ in range(n)]
    good = all(service.get(path, c) == 200 for c in kept)
    for c in kept:
        c.close()
    return good


def processor_s(pids):
    """Seconds of processor that these processes have used."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as f:
            ticks += sum(int(n) for n in f.read().rsplit(")", 1)[1].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")


def limit_in(service, worker):
    return service.stat("strict", "s", lambda command: service.worker(worker, command))["slim"]


def others_wait(service):
    """Workers keep connections of one server, and streams of all of them wait for another one."""
    held = socket.create_server(address(service.args.held), backlog=200)
    check("connections of one server are kept",
          sessions(service, "/mixed", SESSIONS, 1, "Cookie: S=s\r\n"))
    waiting = [connect(service.args.front) for _ in range(SESSIONS)]
    before = processor_s(service.workers())
    for s in waiting:
        s.sendall(b"GET /mixed HTTP/1.1\r\nHost: x\r\nCookie: S=held\r\n\r\n")
    told = []
    while ready := select.select(waiting, [], [], PATIENCE)[0]:
        for s in ready:
            told.append(s.recv(65536))
            waiting.remove(s)
            s.close()
        if len(waiting) == 1:
            break
    took = processor_s(service.workers()) - before
    good = sum(said.startswith(b"HTTP/1.1 503") for said in told)
    check(f"{good} wait for another one in vain", good == SESSIONS - 1)
    check(f"all workers sleep meanwhile: {took:.2f} s of processor", took < 0.5)
    for s in waiting:
        s.close()
    held.close()


def main():
    service = Service(lambda p: [p.add_argument("--loose"), p.add_argument("--held"),
                                 p.add_argument("--workers", type=int)])
    one = service.args.workers == 1
    strict, loose = Origin(service.args.back), Origin(service.args.loose)
    check("sessions in turn are served", in_turn(service, "/", 6))
    check("connections stay", len(strict.open) > 0)
    check(f"at most {strict.most} at once", strict.most <= MOST)
    check("without the word sessions are served", in_turn(service, "/loose", 6))
    if one:
        check(f"where more are kept: {loose.most}", loose.most > MOST)
    for _ in range(3):
        check("many at once are served", sessions(service, "/", SESSIONS, 3))
    check(f"at most {strict.most} at once", strict.most <= MOST)
    if not one:
        others_wait(service)
        old = service.workers()
        os.kill(old[0], signal.SIGKILL)
        until("a killed worker is replaced",
              lambda: len(service.workers()) == len(old) and old[0] not in service.workers())
        check("many at once are served then", sessions(service, "/", SESSIONS, 3))
        check(f"at most {strict.most} at once", strict.most <= MOST)
    check("fewer are allowed", service.ask("set maxconn server strict/s 1") == "")
    for n in range(0 if one else service.args.workers):
        until("each worker knows", lambda: limit_in(service, n + 1) == "1")
    check("many at once are served then", sessions(service, "/", SESSIONS, 2))
    until("there is one connection at most", lambda: len(strict.open) <= 1)
    strict.most = len(strict.open)
    check("many at once are served then", sessions(service, "/", SESSIONS, 2))
    check(f"at most {strict.most} at once", strict.most <= 1)
    check("all are allowed", service.ask("set maxconn server strict/s 0") == "")
    check("many at once are served then", sessions(service, "/", SESSIONS, 2))
    until("nobody is left",
          lambda: [service.stat("strict", "s")[n] for n in ("scur", "qcur")] == ["0", "0"])
    finish()


main()
