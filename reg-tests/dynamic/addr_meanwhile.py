# SPDX-License-Identifier: BSD-2-Clause
"""What addr_meanwhile.sh describes."""

import socket
import threading

from http1 import Reader, request
from origin import serve_each
from service import Service, address, check, connect, finish, until

service = Service("new", "gate")
CLIENTS = 16


class Gate:
    """Connections wait here on their way to the old address, until it opens."""

    def __init__(self):
        self.waiting, self.opens = 0, threading.Event()
        serve_each(service.args.gate, self.lead)

    def lead(self, s):
        self.waiting += 1
        self.opens.wait()
        with connect(service.args.back) as there:
            way_back = threading.Thread(target=self.pass_on, args=(there, s), daemon=True)
            way_back.start()
            self.pass_on(s, there)
            way_back.join()


    def pass_on(self, one, other):
        try:
            while piece := one.recv(65536):
                other.sendall(piece)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Client:
    """One that keeps its connection."""

    def __init__(self):
        self.s = connect(service.args.front)

    def ask(self, path):
        self.s.sendall(request(path))

    def answer(self):
        return Reader(self.s).message()[1].decode()


def moves(backend, to):
    host, port = address(to)
    service.ask(f"set server {backend}/s addr {host} port {port}")
    until("both workers have heard it", lambda: all(
        f" s {host} " in service.worker(n, f"show servers state {backend}") for n in (1, 2)))


service.settle()
gate = Gate()
for backend in "h1", "h2", "own":
    was = gate.waiting
    gate.opens.clear()
    first = Client()
    first.ask(f"/{backend}/")
    until(f"{backend}: a connection is being made", lambda: gate.waiting > was)
    moves(backend, service.args.new)
    gate.opens.set()
    check(f"{backend}: its request ends at the old address", first.answer() == "old")
    others = [Client() for _ in range(CLIENTS)]
    said = []
    for client in others * 2 + [first]:
        client.ask(f"/{backend}/")
        said.append(client.answer())
    check(f"{backend}: {len(said)} others go to the new one", set(said) == {"new"})
service.sound()
finish()
