# SPDX-License-Identifier: BSD-2-Clause
"""Clients and the server of h1_columns.sh."""
from http1 import Reader, reply
from origin import serve
from service import Service, check, connect, finish, until


def options(parser):
    for name in "splices", "h2", "bytes":
        parser.add_argument("--" + name)
    parser.add_argument("--reference", action="store_true")


service = Service(options)
COLUMNS = ("open_connections", "open_streams", "total_connections", "total_streams", "bytes_in", "bytes_out",
           "spliced_bytes_in", "spliced_bytes_out")
LARGE = 3000000


def columns():
    """Those of h1_*, by proxy."""
    head, *lines = service.ask("show stat").splitlines()
    names = head[2:].split(",")
    found = {}
    for line in lines:
        row = dict(zip(names, line.split(",")))
        if row.get("svname") in ("FRONTEND", "BACKEND"):
            found[row["pxname"]] = tuple(int(row["h1_" + name] or 0) for name in COLUMNS)
    return found


def expect(what, proxy, *wanted):
    """The first six as they are; of spliced bytes whether there are any, and no more than of
    all."""
    def seen():
        row = columns()[proxy]
        piped = [0 if not n else 1 if n <= of else -1 for n, of in zip(row[6:], row[4:6])]
        return row[:6] + tuple(piped) == wanted
    until(f"{what}: {proxy}: {wanted}", seen)


def client(at):
    return connect(at if ":" in at else f"127.0.0.1:{at}")


def ask(c, request):
    c.sendall(request)
    Reader(c).message()


serve(service.args.back, lambda r: reply(b"a" * (LARGE if b"/large" in r.head else 10)))

GET = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"          # 27 bytes, with names in any letters
SENT, GOT = len(GET), len(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n") + 10
with client(service.args.front) as c:
    expect("a connection", "copies", 1, 0, 1, 0, 0, 0, 0, 0)
    ask(c, GET)
    expect("a request", "copies", 1, 0, 1, 1, SENT, GOT, 0, 0)
    expect("a request", "copied", 1, 0, 1, 1, GOT, SENT, 0, 0)
    ask(c, GET)
    expect("one more on the same connections", "copies", 1, 0, 1, 2, 2 * SENT, 2 * GOT, 0, 0)
    expect("one more on the same connections", "copied", 1, 0, 1, 2, 2 * GOT, 2 * SENT, 0, 0)
expect("the client has gone", "copies", 0, 0, 1, 2, 2 * SENT, 2 * GOT, 0, 0)
expect("the client has gone", "copied", 1, 0, 1, 2, 2 * GOT, 2 * SENT, 0, 0)

with client(service.args.splices) as c:
    ask(c, b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
    large = len(b"HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n") + LARGE
    expect("a large answer", "splices", 1, 0, 1, 1, 32, large, 0, 1)
    expect("a large answer", "spliced", 1, 0, 1, 1, large, 32, 1, 0)
    body = b"x" * 1000000
    post = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n" + body
    ask(c, post)
    expect("a large body", "splices", 1, 0, 1, 2, 32 + len(post), large + GOT, 1, 1)
    expect("a large body", "spliced", 1, 0, 1, 2, large + GOT, 32 + len(post), 1, 1)

with client(service.args.front) as c:
    c.sendall(GET[:8])
    until("half a request is an exchange", lambda: columns()["copies"][:4] == (1, 1, 2, 3))
until("it ends with its client", lambda: columns()["copies"][:4] == (0, 0, 2, 3))


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


# :method GET, :scheme http, :path /, :authority h
with client(service.args.h2) as c:
    c.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 5, 1, b"\x82\x86\x84\x41\x01h"))
    got = b""
    while b"aaaaaaaaaa" not in got:
        got += c.recv(65536)
    until("a client of HTTP/2 has none, its server's connection is one",
          lambda: columns()["h2"] == (0,) * 8 and columns()["plain"][:5] == (1, 0, 1, 1, GOT))
with client(service.args.bytes) as c:
    ask(c, GET)
check("nor has a stream of TCP", columns().get("bytes", (0,) * 8) == (0,) * 8 == columns().get("tcp", (0,) * 8))
service.ask("clear counters all")
if not service.args.reference:  # which forgets what is open, too
    until("cleared: what is open stays", lambda: columns()["copies"] == (0,) * 8 and columns()["plain"][:4] == (1, 0, 0, 0))
finish()
