# SPDX-License-Identifier: BSD-2-Clause
"""
The origin, the one who asks, and the victim of late_bytes.sh. Each fault is sent on the connection
that the first exchange has left idle, behind the victim's request, while penstock is stopped.
"""
import fcntl
import os
import queue
import signal
import socket
import ssl
import termios
import threading

import service
from http1 import Reader, chunked, reply
from origin import serve_each
from processes import state, stop
from service import check, connect, finish
from sockets import ends_by_reset

EVIL = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
closed = threading.Semaphore(0)
connections = queue.Queue()  # of the origin: those on which a first exchange has ended


def serve(c):
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    reader = Reader(c)
    try:
        while got := reader.head():
            path = got.split()[1].decode()
            kind = path.rsplit("/", 1)[-1]
            token = path.split("/")[1].encode()
            if kind == "204":
                c.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
            elif kind == "304":
                c.sendall(b"HTTP/1.1 304 Not Modified\r\nContent-Length: %d\r\n\r\n" % len(EVIL))
            elif kind == "chunked":
                c.sendall(chunked(token))
            else:
                said = reply(token)
                c.sendall(said[:-len(token)] if got.startswith(b"HEAD") else said)
            if token == b"first":
                connections.put(c)
    except OSError:
        pass
    lingers = c.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) if c.fileno() >= 0 else b""
    c.close()
    if any(lingers):
        closed.release()


def arrived(c):
    """What was sent on it is where penstock can read it: acknowledged."""
    while fcntl.ioctl(c.fileno(), termios.TIOCOUTQ, b"\0\0\0\0") != b"\0\0\0\0":
        pass


def connected(port):
    with open("/proc/net/tcp") as f:
        return any(row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "01"
                   for row in f.readlines()[1:])


def reset(c):
    """The thread that reads from it closes it."""
    port = c.getpeername()[1]
    ends_by_reset(c)
    c.shutdown(socket.SHUT_RD)
    closed.acquire(timeout=service.PATIENCE)
    while connected(port):
        pass


FAULTS = {
    "a whole response": lambda c: c.sendall(EVIL),
    "junk": lambda c: c.sendall(b"junk\r\n\r\n"),
    "408": lambda c: c.sendall(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"),
    "the end": lambda c: c.shutdown(socket.SHUT_WR),
    "a reset": reset,
}


def ask(s, to, method, path):
    s.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nX-To: {to}\r\n\r\n".encode())


def answer(s, method="GET"):
    """Status and body, and what came behind it."""
    r = Reader(s)
    head = r.head()
    if head is None:
        return 0, bytes(r.held)
    status = int(head.split()[1])
    if method == "HEAD" or status in (204, 304):
        return status, bytes(r.held)
    return status, (r.body(head) or b"") + r.held


def idle(it, to):
    return int(it.stat(to, "s")["idle_conn_cur"])


def rest(it):
    """Until it waits in its poller."""
    while state(it.pid) != "S":
        pass


def one(it, to, kind, name, fault, number):
    method = "HEAD" if kind == "HEAD" else "GET"
    with connect(it.args.front) as first, connect(it.args.front) as victim:
        ask(victim, to, "GET", "/warm/x")
        answer(victim)
        ask(first, to, method, f"/first/{kind}")
        answer(first, method)
        c = connections.get(timeout=service.PATIENCE)
        token = f"victim{number}"
        rest(it)
        stop(it.pid)
        ask(victim, to, "GET", f"/{token}/GET")
        try:
            fault(c)
            if fault is not reset:
                arrived(c)
        except (OSError, ssl.SSLError):
            pass
        os.kill(it.pid, signal.SIGCONT)
        status, body = answer(victim)
        check(f"{to}: {name} behind {kind}: the victim gets its own response",
              (status, body) == (200, token.encode()))
        ask(victim, to, "GET", f"/{token}/again")
        check(f"{to}: {name} behind {kind}: and the next one", answer(victim)[1] == token.encode())


def main():
    it = service.Service("tls")
    serve_each(it.args.back, serve)
    ways = ["tcp"]
    if it.args.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(it.args.dir, "crt"), os.path.join(it.args.dir, "key"))
        serve_each(it.args.tls, serve, context)
        ways.append("tls")
    number = 0
    for to in ways:
        for kind in "GET", "chunked", "HEAD", "204", "304":
            for name, fault in FAULTS.items():
                number += 1
                one(it, to, kind, name, fault, number)
        check(f"{to}: connections of a server that sends bodies nobody asked for are not shared",
              idle(it, to) == 0)
    finish()


main()
