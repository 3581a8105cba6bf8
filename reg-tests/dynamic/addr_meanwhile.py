# SPDX-License-Identifier: BSD-2-Clause
"""What addr_meanwhile.sh describes."""

import socket
import threading

from service import Service, address, check, finish, until

service = Service(lambda parser: (parser.add_argument("--new"), parser.add_argument("--gate")))
CLIENTS = 16


class Gate:
    """Connections wait here on their way to the old address, until it opens."""

    def __init__(self):
        self.listener = socket.create_server(address(service.args.gate))
        self.waiting, self.opens = 0, threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            s = self.listener.accept()[0]
            self.waiting += 1
            threading.Thread(target=self.lead, args=(s,), daemon=True).start()

    def lead(self, s):
        self.opens.wait()
        there = socket.create_connection(address(service.args.back))
        for pair in (s, there), (there, s):
            threading.Thread(target=self.pass_on, args=pair, daemon=True).start()

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
        host, port = address(service.args.front)
        self.s = socket.create_connection((host, port), timeout=60)

    def ask(self, path):
        self.s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())

    def answer(self):
        got = b""
        while not got.endswith((b"old", b"new")):
            got += self.s.recv(65536) or exit("closed: " + got.decode())
        return got[-3:].decode()


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
