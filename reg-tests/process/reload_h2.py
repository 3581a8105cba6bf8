#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Requests over HTTP/2 through a proxy while it reloads: every stream that was begun before the
second GOAWAY is answered whole, and no connection ends before its last stream.

usage: reload_h2.py ADDRESS PORT ORIGIN-PORT COMMAND ROUNDS
Like reload.py, with connections of HTTP/2: busy ones that begin streams as long as they may, ones
that rest between two requests, and ones with long transfers. No client asks twice. Prints what was
done and what failed; exit code 1 if anything did, or if nobody was told to go.
"""
import socket
import struct
import time

from reload import BODY, LIMIT, LONG, judge

DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK = 1, 1
LAST = 0x7fffffff


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def field(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def request(path):
    return (field(b":method", b"GET") + field(b":scheme", b"http") + field(b":path", path) +
            field(b":authority", b"x"))


class Connection:
    def __init__(self, address):
        self.sock = socket.create_connection(address, LIMIT)
        self.buf = b""
        self.next = 1
        self.open = {}                 # stream: [what is expected, what came]
        self.told = self.over = False  # GOAWAY: leaving is announced; the last id is known
        self.sock.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0) +
                          frame(WINDOW, 0, 0, struct.pack(">I", 1 << 30)))

    def ask(self, path, body):
        self.sock.sendall(frame(HEADERS, END_STREAM | 4, self.next, request(path)) +
                          frame(WINDOW, 0, self.next, struct.pack(">I", 1 << 30)))
        self.open[self.next] = [body, bytearray()]
        self.next += 2

    def read(self, n):
        while len(self.buf) < n:
            more = self.sock.recv(1 << 18)
            if not more:
                if self.buf or self.open:
                    raise ConnectionError("closed with streams %s open" % list(self.open))
                return None
            self.buf += more
        taken, self.buf = self.buf[:n], self.buf[n:]
        return taken

    def goaway(self, payload):
        last, code = struct.unpack(">II", payload[:8])
        if code:
            raise ConnectionError("GOAWAY %d" % code)
        lost = [stream for stream in self.open if stream > last]
        if lost:
            raise ConnectionError("streams %s were not processed" % lost)
        self.told = True
        self.over = last != LAST

    def ended(self, stream):
        expected, got = self.open.pop(stream)
        if bytes(got) != expected:
            raise ConnectionError("%d of %d bytes" % (len(got), len(expected)))

    def step(self):
        """One frame. None: the connection is closed; True: a stream has ended."""
        head = self.read(9)
        if head is None:
            return None
        length = int.from_bytes(head[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        payload = self.read(length) if length else b""
        if kind == HEADERS and payload[:1] != b"\x88":
            raise ConnectionError("not 200: %r" % payload)
        if kind == DATA:
            self.open[stream][1].extend(payload)
        if kind == RST:
            raise ConnectionError("stream %d was reset" % stream)
        if kind == SETTINGS and not flags & ACK:
            self.sock.sendall(frame(SETTINGS, ACK, 0))
        if kind == PING and not flags & ACK:
            self.sock.sendall(frame(PING, ACK, 0, payload))
        if kind == GOAWAY:
            self.goaway(payload)
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            self.ended(stream)
            return True
        return False


def serve(conn, kind, stop, tally):
    """Streams until the proxy wants the connection to end."""
    path, body, most = (b"/long", LONG, 2) if kind == "long" else (b"/", BODY, 8)
    if kind == "resting":
        most = 1
    while True:
        while not conn.told and not stop.is_set() and len(conn.open) < most:
            conn.ask(path, body)
        if stop.is_set() and not conn.open:
            conn.sock.close()
            return
        ended = conn.step()
        if ended is None:
            tally.count("told" if conn.over else "closed")
            if not conn.over:
                raise ConnectionError("closed without GOAWAY")
            return
        if ended:
            tally.count(kind)
            if kind == "resting":
                time.sleep(0.05)


def client(address, kind, stop, tally):
    while not stop.is_set():
        try:
            serve(Connection(address), kind, stop, tally)
        except OSError as error:
            tally.fail(kind, error)


if __name__ == "__main__":
    judge(client, ["busy"] * 2 + ["resting"] * 3 + ["long"], 5)
