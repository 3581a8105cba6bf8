# SPDX-License-Identifier: BSD-2-Clause
"""
Servers behind the program. Each connection has a thread of its own; one that breaks ends alone.

    serve_each(back, lambda s: s.sendall(s.recv(100)))     # whatever is spoken
    serve(back, lambda r: reply(r.body, "X-Path: " + r.path))    # HTTP/1
    origin = Origin(back)                                  # the same body each time; counts
"""

import socket
import threading

from http1 import Reader, fields_of, reply
from service import PATIENCE, address


def listen(where, backlog=1000):
    """where: "host:port", the path of a Unix socket, or a listener that is there already."""
    if isinstance(where, socket.socket):
        return where
    if where.startswith("/"):
        s = socket.socket(socket.AF_UNIX)
        s.bind(where)
        s.listen(backlog)
        return s
    host, port = address(where)
    return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET,
                                backlog=backlog)


def serve_each(where, conversation, tls=None):
    """conversation(connection) runs in a thread for each; behind it the connection is closed. An
    OSError ends it quietly; so do EOFError and ValueError: what was to be read is cut. tls: an
    SSLContext. Returns the listener; shut takes no more connections."""
    listener = listen(where)

    def one(s):
        try:
            with (tls.wrap_socket(s, server_side=True) if tls else s) as s:
                conversation(s)
        except (OSError, EOFError, ValueError):
            s.close()

    def loop():
        while True:
            try:
                s, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(s,), daemon=True).start()
    threading.Thread(target=loop, daemon=True).start()
    return listener


def shut(listener):
    """Takes no more connections, at once."""
    try:
        listener.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    listener.close()


class Request:
    def __init__(self, s, head, body):
        self.s, self.head, self.body = s, head, body
        words = head.decode("latin-1").split("\r\n")[0].split(" ")
        self.method, self.path = words[0], words[1]

    @property
    def fields(self):
        return fields_of(self.head)


def serve_requests(s, answer):
    """One connection: answer(request) returns the bytes of a response, or None: it ends, as behind
    one that says "Connection: close"."""
    reader = Reader(s)
    while got := reader.message():
        said = answer(Request(s, *got))
        if said is None:
            return
        s.sendall(said)
        if b"\r\nconnection: close\r\n" in said.partition(b"\r\n\r\n")[0].lower() + b"\r\n":
            return


def serve(where, answer, tls=None):
    """serve_requests for each connection; returns the listener."""
    return serve_each(where, lambda s: serve_requests(s, answer), tls)


class Origin:
    """Answers every request with 200 and a small body, after `hold` has been set, if it is given;
    counts connections and requests, and the most requests at once."""

    def __init__(self, where, hold=None):
        self.hold = hold
        self.lock = threading.Lock()
        self.connections = self.requests = self.now = self.most = 0
        self.arrived = []  # order of paths
        self.listener = serve_each(where, self.serve)

    def serve(self, s):
        with self.lock:
            self.connections += 1
        reader = Reader(s)
        while head := reader.head():
            self.answer(s, head.split()[1].decode())

    def answer(self, s, path):
        with self.lock:
            self.requests += 1
            self.now += 1
            self.most = max(self.most, self.now)
            self.arrived.append(path)
        try:
            if self.hold:
                self.hold.wait(PATIENCE)
        finally:
            with self.lock:
                self.now -= 1
        s.sendall(reply(b"hello"))

    def close(self):
        shut(self.listener)
