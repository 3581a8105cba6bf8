# SPDX-License-Identifier: BSD-2-Clause
"""What filter_places.sh describes."""

from http1 import Reader, reply
from origin import serve_each
from service import Service, check, connect, finish, read_all, until

service = Service("sees")
args = service.args
seen = []


def answer(s):
    """/once answers the second time it is asked; CONNECT begins to repeat what comes."""
    head = Reader(s).head() or b""
    seen.append(head)
    if b" /once" in head and sum(b" /once" in h for h in seen) % 2:
        return
    if not head.startswith(b"CONNECT"):
        s.sendall(reply(b"hello", close=True))
        return
    s.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while got := s.recv(65536):
        s.sendall(got)


def get(to, path, body=b""):
    with connect(to) as s:
        s.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (path, len(body)) + body)
        return read_all(s)


def counts(sentence, *wanted):
    until(f"{sentence}: {wanted}", lambda: tuple(int(n) for n in service.ask("counts").split()) == wanted)


serve_each(args.back, answer)
got = get(args.front, b"/")
check("a filter sees the response", b"x-filter: response" in got and got.endswith(b"hello"))
check("and the request", b"x-filter: request" in seen[-1])
counts("one stream", 1, 2, 0, 1)
got = get(args.front, b"/once")
check("a request that is sent once more: 200", got.startswith(b"HTTP/1.1 200") and got.count(b"x-filter: response") == 1)
check("both times with what the filter has added, once",
      [h.count(b"x-filter: request") for h in seen[-2:]] == [1, 1] and len(seen) == 3)
counts("a stream and two heads more", 2, 4, 0, 2)
got = get(args.sees, b"/", b"abc")
check("a filter that sees bytes", got.startswith(b"HTTP/1.1 200"))
counts("it has seen both bodies", 3, 6, 8, 3)
got = get(args.sees, b"/once", b"abc")
check(f"a request whose bytes it has seen is not sent once more: {got[:12].decode()}", got.startswith(b"HTTP/1.1 502"))
check("the server was asked once", len(seen) == 5)
for to, name in (args.front, "a filter of heads"), (args.sees, "one that sees bytes"):
    with connect(to) as s:
        s.sendall(b"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n")
        r = Reader(s)
        head = r.head()
        check(f"CONNECT, {name}: the tunnel is open", head.startswith(b"HTTP/1.1 200"))
        for piece in b"ping", b"x" * 100000:
            s.sendall(piece)
            check(f"{len(piece)} bytes of the tunnel come back as they are", r.exactly(len(piece)) == piece)
before = int(service.ask("counts").split()[2])
check(f"bytes of messages: {before}, none of them of a tunnel", before <= 11)
finish()
