# SPDX-License-Identifier: BSD-2-Clause
"""vectors.py PORT FILE: sends each header of the file in front of a request, in one piece, byte by
byte, and in two pieces at some places, and compares what is answered; breaks off in the middle of
it in every way. Prints what is wrong, and last how many headers were good, and how many connections
should have been counted as refused."""
import socket
import sys

from sockets import ends_by_reset

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
TIMEOUT = 100


def connect(port):
    s = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def answer(s, port):
    """What comes until the end; None: nothing, or a reset."""
    got = b""
    try:
        while True:
            piece = s.recv(4096)
            if not piece:
                break
            got += piece
    except ConnectionError:
        return None
    if not got:
        return None
    body = got.split(b"\r\n\r\n", 1)[-1].decode().strip()
    return body.replace("127.0.0.1:%d 127.0.0.1:%d" % (s.getsockname()[1], port), "own")


def exchange(port, pieces):
    with connect(port) as s:
        try:
            for piece in pieces:
                s.sendall(piece)
        except ConnectionError:
            pass  # refused before all was said
        return answer(s, port)


def ways(header):
    """The ways to send it, each a list of pieces."""
    yield "in one piece", [header + REQUEST]
    if len(header) < 1000:
        yield "byte by byte", [bytes([b]) for b in header + REQUEST]
    places = {1, 5, 12, 13, 15, 16, 17, len(header) - 1, len(header), len(header) + 1}
    for at in sorted(p for p in places if 0 < p <= len(header) + 1):
        yield "in two pieces at %d" % at, [(header + REQUEST)[:at], (header + REQUEST)[at:]]


def broken_off(port, part):
    """A part, and then the end: FIN and RST. Nothing may be answered."""
    with connect(port) as s:
        s.sendall(part)
        s.shutdown(socket.SHUT_WR)
        said = answer(s, port)
    with connect(port) as s:
        s.sendall(part)
        ends_by_reset(s)
    return said


def read_vectors(path):
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                name, expected, data = line.rstrip("\n").split("|")
                yield name, expected, bytes.fromhex(data)


def check(name, way, got, expected):
    if got != expected:
        print("WRONG   %s, %s: %r, wanted %r" % (name, way, got, expected))


def main():
    port, good, refused = int(sys.argv[1]), 0, 0
    for name, expected, header in read_vectors(sys.argv[2]):
        if expected == "refused":
            for way, pieces in ways(header):
                check(name, way, exchange(port, pieces), None)
                refused += 1
            continue
        for way, pieces in ways(header):
            check(name, way, exchange(port, pieces), expected)
            good += 1
        places = {0, 1, 6, 12, 16, len(header) // 2, len(header) - 1}
        for at in sorted(p for p in places if p < len(header)):
            check(name, "%d bytes and FIN" % at, broken_off(port, header[:at]), None)
            refused += 2
    print("%d %d" % (good, refused))


main()
