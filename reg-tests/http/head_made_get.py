# SPDX-License-Identifier: BSD-2-Clause
"""See head_made_get.sh. The origin's body is "evil", which no client must see."""
import itertools
import socket
import threading

from http1 import Reader
from origin import serve_each
from service import PATIENCE, Service, check, connect, finish, until

KEPT = {"late": (b"Content-Length: 4", [b"ev", b"il"]), "chunks": (b"Transfer-Encoding: chunked", [b"4\r\nevil", b"\r\n0\r\n\r\n"])}
LEFT = {"endless": (b"Transfer-Encoding: chunked", [b"4\r\nevil\r\n"]), "large": (b"Content-Length: 999999", [b"evil" * 9000]),
        "more": (b"Content-Length: 4", [b"ev", b"ilHTTP/1.1 200 OK\r\nX: evil\r\nContent-Length: 0\r\n\r\n"]),
        "cut": (b"Content-Length: 4", [b"ev", None]), "wrong": (b"Transfer-Encoding: chunked", [b"4\r\nevil", b"x"])}
service = Service()
answered = threading.Event()  # the client has the head: then the body follows
numbers = itertools.count(1)
asked = {}  # path: the connection that brought it last


def origin(conn):
    conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    number, reader = next(numbers), Reader(conn)
    while head := reader.head():
        method, path = head.decode().split()[:2]
        asked[path] = number if method == "GET" else None
        fields, pieces = {**KEPT, **LEFT}.get(path[1:], (b"Content-Length: 2", [b"ok"]))
        conn.sendall(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\n")
        if path != "/ok":
            answered.wait(PATIENCE)
        for piece in pieces:
            if piece is None:
                return
            conn.sendall(piece)


def kept(path):
    """The connection of a HEAD carries the request behind it, whose answer is its own."""
    answered.clear()
    with connect(service.args.front) as client:
        client.sendall(f"HEAD /{path} HTTP/1.1\r\nHost: a\r\n\r\nGET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
        data = b""
        while piece := client.recv(65536):
            data += piece
            if b"\r\n\r\n" in data:
                answered.set()
    if b"evil" in data or data.count(b"HTTP/1.1 200") != 2 or not data.endswith(b"\r\n\r\nok"):
        check(f"{path}: the answers are {data!r}", False)
    return asked["/" + path] == asked["/ok"]


serve_each(service.args.back, origin)
for name in KEPT:  # on a busy machine the rest may come late
    until(f"{name}: the server's connection is kept", lambda name=name: kept(name))
for name in LEFT:
    check(f"{name}: the server's connection is not kept", not any([kept(name) for _ in range(5)]))
finish()
