# SPDX-License-Identifier: BSD-2-Clause
"""A peer that says what a test wants it to say: the protocol of peers, version 2.1, by hand."""
import socket

from service import PATIENCE, address

ASK, FINISHED, PARTIAL, CONFIRM, BEAT = range(5)
UPDATE, NEXT, DEFINITION, SWITCH, ACK, TIMED, TIMED_NEXT = range(128, 135)


def number(n):
    """The one form of a number."""
    if n < 240:
        return bytes([n])
    out, n = [n & 15 | 240], (n - 240) >> 4
    while n >= 128:
        out.append(n & 127 | 128)
        n = (n - 128) >> 7
    return bytes(out + [n])


def read_number(data, at):
    """(number, place behind it), or None: it is not whole."""
    if at >= len(data):
        return None
    n, shift = data[at], 4
    at += 1
    if n < 240:
        return n, at
    while at < len(data):
        byte = data[at]
        n += byte << shift
        at += 1
        if byte < 128:
            return n, at
        shift += 7
    return None


def message(kind, body, family=10):
    return bytes([family, kind]) + number(len(body)) + body


def control(kind):
    return bytes([0, kind])


def four(n):
    return (n & 0xffffffff).to_bytes(4, "big")


def definition(table, name, keys, length, types, expire=600000, more=b""):
    """types: numbers of data types; more: of arrays and rates."""
    stored = sum(1 << t for t in types)
    return message(DEFINITION, number(table) + number(len(name)) + name.encode() + number(keys)
                   + number(length) + number(stored) + number(expire) + more)


class Peer:
    """Has called `where' as `name', and was accepted: status 200. What comes behind is in
    `data'."""

    def __init__(self, where, called, name, window=None):
        self.s = socket.socket()
        self.s.settimeout(PATIENCE)
        if window:
            self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.s.connect(address(where))
        self.data, self.over = b"", False
        self.s.sendall(f"HAProxyS 2.1\n{called}\n{name} 1 1\n".encode())
        while b"\n" not in self.data and not self.over:
            self.receive()
        self.status, _, self.data = self.data.partition(b"\n")

    def receive(self):
        try:
            got = self.s.recv(65536)
        except ConnectionError:
            got = b""
        self.data += got
        self.over = not got

    def send(self, data):
        """False: the other side has closed."""
        try:
            self.s.sendall(data)
        except ConnectionError:
            return False
        return True

    def next(self):
        """The next message, (class, type, body); None: there is none any more."""
        while True:
            if len(self.data) >= 2 and self.data[1] < 128:
                found = self.data[0], self.data[1], b""
                self.data = self.data[2:]
                return found
            length = read_number(self.data, 2) if len(self.data) > 2 else None
            if length and len(self.data) >= sum(length):
                found = self.data[0], self.data[1], self.data[length[1]:sum(length)]
                self.data = self.data[sum(length):]
                return found
            if self.over:
                return None
            self.receive()

    def until(self, wanted):
        """The first message for which `wanted' holds; None: the connection has ended."""
        while True:
            found = self.next()
            if not found or wanted(*found):
                return found

    def acknowledged(self, table, update):
        """Everything up to this update was taken. False: the connection has ended."""
        return bool(self.until(lambda c, t, body: (c, t) == (10, ACK)
                               and body == number(table) + four(update)))

    def close(self):
        self.s.close()
