# SPDX-License-Identifier: BSD-2-Clause
"""Clients that leave at each step: see gone.sh."""

import re

from frames import Client, request, rst
from origin import Origin
from service import PATIENCE, Service, check, connect, finish, until
from sockets import ends_by_reset

CLIENTS = 12
TABLES = "sessions", "requests", "behind"


def options(parser):
    parser.add_argument("--h2")
    parser.add_argument("--slow")


service = Service(options)


class Holding(Origin):
    """Answers until the client has left, or in part, or not at all."""

    def answer(self, s, path):
        if path == "/kept":
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            return
        if path == "/half":
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
        elif path == "/head":
            s.sendall(b"HTTP/1.1 200 OK\r\n")
        elif path == "/pours":
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
            while True:
                s.sendall(bytes(65536))
        s.settimeout(PATIENCE)
        while s.recv(65536):
            pass
        raise OSError


servers = Holding(service.args.back), Holding(service.args.slow)


def followed(table):
    said = service.ask(f"show table {table}")
    found = re.search(r" use=(\d+) .* conn_cur=(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def all_followed(*wanted):
    return all(followed(table) == (n, n) for table, n in zip(TABLES, wanted))


def leave(s, hard):
    if hard:
        ends_by_reset(s)
    s.close()


def head(path, end="\r\n", more=""):
    return f"GET {path} HTTP/1.1\r\nHost: x\r\n{more}{end}".encode()


N = CLIENTS
# What is sent, and how many sessions, requests and requests in backends are followed then.
STEPS = {
    "without a word": (b"", (N, 0, 0)),
    "in the request line": (b"GET / HT", (N, 0, 0)),
    "in the head": (head("/", ""), (N, 0, 0)),
    "in a body that is waited for": (head("/body", more="Content-Length: 9\r\n") + b"12", (N, N, 0)),
    "in a body that passes": (head("/", more="Content-Length: 9\r\n") + b"12", (N, N, N)),
    "in a tarpit": (head("/tarpit"), (N, N, 0)),
    "in a queue": (head("/queue"), (N, N, N)),
    "while a server refuses": (head("/refused"), (N, N, N)),
    "while the server thinks": (head("/"), (N, N, N)),
    "in the head of the response": (head("/head"), (N, N, N)),
    "in the body of the response": (head("/half"), (N, N, N)),
    "in a body that nobody reads": (head("/pours"), (N, N, N)),
    "between two requests": (head("/kept"), (N, 0, 0)),
    "at the second request": (head("/kept") + head("/"), (N, N, N)),
}
for name, (said, wanted) in STEPS.items():
    # A tarpit holds whoever has left until its time is over, as in the reference.
    for how, hard in (("FIN", False), ("RST", True))[name == "in a tarpit":]:
        clients = [connect(service.args.front) for _ in range(CLIENTS)]
        for s in clients:
            s.sendall(said)
        until(f"{name}: followed {wanted}", lambda: all_followed(*wanted))
        for s in clients:
            leave(s, hard)
        until(f"{name}: {how}", lambda: all_followed(0, 0, 0))

# ---- HTTP/2: two connections ----

H2_STEPS = {
    "in a body that is waited for": ("/body", False, (2, N, 0)),
    "in a body that passes": ("/", False, (2, N, N)),
    "in a tarpit": ("/tarpit", True, (2, N, 0)),
    "in a queue": ("/queue", True, (2, N, N)),
    "while a server refuses": ("/refused", True, (2, N, N)),
    "while the server thinks": ("/", True, (2, N, N)),
    "in the body of the response": ("/half", True, (2, N, N)),
    "in a body that nobody reads": ("/pours", True, (2, N, N)),
}
for name, (path, ends, wanted) in H2_STEPS.items():
    for how in ("RST_STREAM", "FIN", "RST")[2 * (name == "in a tarpit"):]:
        clients = [Client(service.args.h2) for _ in range(2)]
        streams = [(c, c.open(request(path, "GET" if ends else "POST"), ends))
                   for c in clients for _ in range(N // 2)]
        until(f"HTTP/2, {name}: followed {wanted}", lambda: all_followed(*wanted))
        if how == "RST_STREAM":
            for c, stream in streams:
                c.send(rst(stream))
            until(f"HTTP/2, {name}: {how} ends the streams", lambda: all_followed(2, 0, 0))
        for c in clients:
            leave(c.sock, how == "RST")
        until(f"HTTP/2, {name}: {how}", lambda: all_followed(0, 0, 0))

# ---- by command, and beside a reload ----

clients = [connect(service.args.front) for _ in range(CLIENTS)]
for s in clients:
    s.sendall(head("/"))
until("followed", lambda: all_followed(N, N, N))
for number in 1, 2:
    service.worker(number, "shutdown sessions server be/s")
until("streams that a command ends are followed no more", lambda: followed("requests") == (0, 0))
for s in clients:
    s.close()
until("nor are their sessions", lambda: all_followed(0, 0, 0))

clients = [connect(service.args.front) for _ in range(CLIENTS)]
for s in clients[:N // 2]:
    s.sendall(head("/"))
for s in clients[N // 2:]:
    s.sendall(head("/kept"))
until("followed", lambda: all_followed(N, N // 2, N // 2))
service.parent("reload")
until("the old workers are told to leave", lambda: len(service.old_workers()) == 2)
fresh = connect(service.args.front)
fresh.sendall(head("/"))
until("the new generation counts where the old one does", lambda: all_followed(N + 1, N // 2 + 1, N // 2 + 1))
for s in clients + [fresh]:
    s.close()
until("all have left", lambda: all_followed(0, 0, 0))
check("sessions were counted", "conn_cnt=" in service.ask("show table sessions"))
finish()
