# SPDX-License-Identifier: BSD-2-Clause
"""What stuck_resets.sh describes."""

import socket
import threading

from frames import INITIAL_WINDOW_SIZE, SETTINGS, Client, request, settings, window
from origin import Origin
from processes import descriptors
from service import PATIENCE, Service, check, finish, until
from sockets import any_server, narrow, reset

QUIET = 0.3  # seconds in which nothing is taken: it is stuck

svc = Service("tcp")


class Pouring(Origin):
    """Answers without an end. stuck: nobody takes it any more; gone: the connection has failed."""

    def renew(self):
        self.stuck, self.gone = threading.Event(), threading.Event()

    def answer(self, s, path):
        s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
        s.settimeout(QUIET)
        try:
            while True:
                s.send(b"x" * 65536)
        except socket.timeout:
            self.stuck.set()
        s.settimeout(PATIENCE)
        try:
            while True:
                s.send(b"x" * 65536)
        except ConnectionError:
            self.gone.set()
            raise


origin = Pouring(svc.args.back)


def connect(to, *protocols):
    """One that takes little."""
    return any_server(*protocols).wrap_socket(narrow(to, 4096))


def plain(s):
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")


def large(s):
    c = Client(None, settings((INITIAL_WINDOW_SIZE, 2**31 - 1)) + window(0, 2**31 - 65536), sock=s)
    c.open()
    check("the client has SETTINGS", c.wait(lambda f: f.kind == SETTINGS))
    return c


def many(s):
    """Behind one answer that is stuck so many heads, of 4 kB each, that nothing more is read."""
    streams, enough = 60, 16
    c = large(s)
    check("one answer is stuck", origin.stuck.wait(PATIENCE))
    before = int(svc.stat("http", "FRONTEND")["req_tot"])
    for _ in range(streams):
        c.open(request("/here"))
    until("heads fill what may wait", lambda: int(svc.stat("http", "FRONTEND")["req_tot"]) >= before + enough)


def current(to):
    return svc.stat("tcp" if to == tcp else "http", "FRONTEND")["scur"]


def at_once(what, to, protocol, fill):
    before = descriptors(svc.pid)
    origin.renew()
    s = connect(to, *[protocol] if protocol else [])
    fill(s)
    check(f"{what}: the answer is stuck", origin.stuck.wait(PATIENCE) and current(to) == "1")
    s = socket.socket(fileno=s.detach())
    reset(s)
    until(f"{what}: its place is free", lambda: current(to) == "0")
    check(f"{what}: the server's connection has ended", origin.gone.wait(PATIENCE))
    until(f"{what}: the descriptors are back", lambda: descriptors(svc.pid) <= before)


tcp = f"127.0.0.1:{svc.args.tcp}"
svc.ask("show info")
at_once("mode tcp", tcp, None, plain)
at_once("HTTP/1", svc.args.front, "http/1.1", plain)
at_once("HTTP/2", svc.args.front, "h2", large)
at_once("HTTP/2, many answers", svc.args.front, "h2", many)
finish()
