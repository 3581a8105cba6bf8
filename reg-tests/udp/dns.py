# SPDX-License-Identifier: BSD-2-Clause
"""See dns.sh."""

import os
import random
import select
import signal
import socket
import struct
import time

from service import PATIENCE, Service, check, finish, until

QUESTIONS, CLIENTS = 4000, 40


def arguments(p):
    p.add_argument("--port", type=int)
    p.add_argument("--servers")


service = Service(arguments)
to = ("127.0.0.1", service.args.port)
first, second = [int(p) for p in service.args.servers.split()]


def question(number):
    name = b"n%d" % number
    return (struct.pack(">HHHHHH", number & 0xffff, 0x0100, 1, 0, 0, 0) +
            bytes([len(name)]) + name + b"\4test\0" + struct.pack(">HH", 1, 1))


def ask_all(count):
    """Each client has one question under way. How many answers were right, lost, of which
    server."""
    clients = {}
    for _ in range(CLIENTS):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.connect(to)
        clients[s.fileno()] = s
    asked = {}
    right = wrong = number = 0
    servers = {1: 0, 2: 0}
    end = time.monotonic() + PATIENCE

    def ask(fd):
        nonlocal number
        if number < count:
            asked[fd] = question(number)
            clients[fd].send(asked[fd])
            number += 1

    for fd in clients:
        ask(fd)
    while asked and time.monotonic() < end:
        for s in select.select(list(clients.values()), [], [], 1)[0]:
            try:
                answer = s.recv(4096)
            except ConnectionError:
                continue
            mine = asked.pop(s.fileno(), None)
            good = mine and answer[:2] == mine[:2] and answer[12:len(mine)] == mine[12:]
            right, wrong = right + bool(good), wrong + (not good)
            servers[answer[-1]] = servers.get(answer[-1], 0) + 1
            ask(s.fileno())
    for s in clients.values():
        s.close()
    return right, wrong, servers


def status(name):
    return service.stat("dns", name)["status"]


def answers():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(to)
    s.settimeout(0.3)
    try:
        s.send(question(random.randrange(60000)))
        return s.recv(4096)[-1]
    except OSError:
        return None
    finally:
        s.close()


until("both servers are up, and answer", lambda: status("ns1").startswith("UP") and
      status("ns2").startswith("UP") and {answers() for _ in range(8)} == {1, 2})
right, wrong, servers = ask_all(QUESTIONS)
check(f"{QUESTIONS} questions have their own answers: {right}, others: {wrong}",
      right == QUESTIONS and not wrong)
# leastconn: each has half of what is under way; who answers faster answers more.
check(f"of both servers: {servers}", set(servers) == {1, 2} and min(servers.values()) > QUESTIONS / 40)
until("no session is left", lambda: service.stat("dns", "FRONTEND")["scur"] == "0")
os.kill(second, signal.SIGSTOP)
os.kill(second, signal.SIGKILL)
until("a server that ended is down", lambda: status("ns2").startswith("DOWN"))
right, wrong, servers = ask_all(500)
check(f"the other one answers all: {servers}", right == 500 and servers[2] == 0)
with socket.create_connection(to, PATIENCE) as s:
    q = question(7)
    s.sendall(struct.pack(">H", len(q)) + q)
    check("and so it does over TCP", s.recv(4096)[-1] == 1)
finish()
