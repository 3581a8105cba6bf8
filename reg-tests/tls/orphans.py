# SPDX-License-Identifier: BSD-2-Clause
"""What orphans.sh describes."""

import os
import re
import resource
import signal
import socket
import threading

from origin import Origin
from processes import stop
from service import PATIENCE, Service, address, check, finish, until
from sockets import any_server, narrow

CLIENTS = 20  # who come at once
ROOM = 60     # descriptors that are left for what follows

svc = Service("tls")
together, came = threading.Barrier(CLIENTS), threading.Event()


class Sizes(Origin):
    """As many bytes as the path says, which the program finds all at once: what comes later than
    bytes that a client does not take waits for that client, and so does the stream. For /0, when
    all are there."""

    def answer(self, s, path):
        size = int(path[1:])
        if size:
            stop(svc.pid)
        else:
            try:
                together.wait(PATIENCE)
            except threading.BrokenBarrierError:
                return
        s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size)
        os.kill(svc.pid, signal.SIGCONT)
        came.set()


def used(pool):
    found = re.search(rf"Pool {pool} \(.*?(\d+) used", svc.ask("show pools"))
    return int(found[1]) if found else 0


def no_reader(to, size):
    """A client that asks for so much, and takes nothing of it."""
    s = narrow(to, 2048)
    if to == svc.args.tls:
        s = any_server().wrap_socket(s)
    s.sendall(b"GET /%d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % size)
    if to == svc.args.tls:
        s.shutdown(socket.SHUT_WR)
    return s


def one_of_many(number, answers):
    try:
        with socket.create_connection(address(svc.args.front), timeout=PATIENCE) as s:
            s.sendall(b"GET /0 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            answers[number] = s.recv(4096)[:12]
    except OSError as error:
        answers[number] = error


def crowd():
    """What each of them gets."""
    answers = [None] * CLIENTS
    threads = [threading.Thread(target=one_of_many, args=(n, answers), daemon=True) for n in range(CLIENTS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(PATIENCE)
    return answers


def limit(room):
    """The table has room for so many more: some of those there are may have high numbers."""
    fds = sorted(int(fd) for fd in os.listdir(f"/proc/{svc.pid}/fd"))
    below = [fd for n, fd in enumerate(fds) if fd - n < room]
    resource.prlimit(svc.pid, resource.RLIMIT_NOFILE, (len(below) + room, 20000))


def fill(pool, to, size):
    held = []
    limit(ROOM)
    for n in range(ROOM + 20):
        came.clear()
        held.append(no_reader(to, size))
        if not came.wait(PATIENCE):
            check(f"request {n} reaches the server", False)
            break
        if n == 0:
            until(f"what it does not take is a \"{pool}\"", lambda: used(pool) > 0)
    until("nobody uses them any more", lambda: used("stream") <= 1)  # that which is asked
    together.reset()
    answers = crowd()
    check(f"with the table full of \"{pool}\", who comes is served", answers == [b"HTTP/1.1 200"] * CLIENTS)
    if answers != [b"HTTP/1.1 200"] * CLIENTS:
        print(answers)
    for s in held:
        s.close()
    until("all of them end with their clients", lambda: used(pool) == 0)


origin = Sizes(svc.args.back)
fill("tls drain", svc.args.tls, 48000)
fill("lingerer", svc.args.front, 20000)
finish()
