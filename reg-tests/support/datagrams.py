# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of udp-lb share: servers that answer with their name and who has asked,
clients."""

import socket
import struct
import threading

from service import PATIENCE, address


SOL_UDP, UDP_SEGMENT = 17, 103


def send_row(s, pieces, size, to):
    """All in one call: the kernel cuts them up."""
    s.sendmsg(pieces, [(SOL_UDP, UDP_SEGMENT, struct.pack("H", size))], 0, to)


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


class Server:
    """Answers `answers` times with "NAME PORT-OF-WHO-ASKS " and what was sent; raw: with that
    alone. row: as so many datagrams in one call. ignored: what is not answered."""

    def __init__(self, name, where, answers=1, raw=False, ignored=None):
        self.name, self.where, self.answers, self.raw = name.encode(), address(where), answers, raw
        self.ignored = ignored
        self.row = 0
        self.got = []  # payloads
        self.late = []  # answers: 0: what was not answered, and to whom it is owed
        self.start()

    def start(self):
        self.s = socket.socket(family(self.where[0]), socket.SOCK_DGRAM)
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.s.bind(self.where)
        self.stopped = False
        self.thread = threading.Thread(target=self.serve, args=(self.s,), daemon=True)
        self.thread.start()

    def serve(self, s):
        while not self.stopped:
            data, who = s.recvfrom(70000)
            if self.stopped:
                return
            self.got.append(data)
            if data == self.ignored:
                continue
            if not self.raw:
                data = b"%s %d %s" % (self.name, who[1], data)
            if not self.answers:
                self.late.append((data, who))
            if self.row:
                send_row(s, [data] * self.row, len(data), who)
                continue
            for _ in range(self.answers):
                s.sendto(data, who)

    def answer_late(self):
        """Answers what was not."""
        while self.late:
            self.s.sendto(*self.late.pop(0))

    def stop(self):
        self.stopped = True
        with socket.socket(family(self.where[0]), socket.SOCK_DGRAM) as s:
            s.sendto(b"", self.where)  # wakes it
        self.thread.join()
        self.s.close()


class Client:
    def __init__(self, to, source=None):
        self.to = address(to) if isinstance(to, str) else to
        self.s = socket.socket(family(self.to[0]), socket.SOCK_DGRAM)
        self.s.settimeout(PATIENCE)
        if source:
            self.s.bind((source, 0))

    def send(self, data):
        self.s.sendto(data, self.to)

    def receive(self):
        """What comes, which must be from where it was sent to."""
        data, who = self.s.recvfrom(70000)
        assert who[:2] == self.to[:2], (who, self.to)
        return data

    def ask(self, data=b"x"):
        self.send(data)
        return self.receive()

    def whom(self, data=b"x"):
        """Name of the server that answers, and the port by which it was asked."""
        name, port, rest = self.ask(data).split(b" ", 2)
        assert rest == data, (rest, data)
        return name.decode(), int(port)

    def silent(self, seconds=0.2):
        """Nothing comes for so long."""
        self.s.settimeout(seconds)
        try:
            self.s.recvfrom(70000)
            return False
        except TimeoutError:
            return True
        finally:
            self.s.settimeout(PATIENCE)
