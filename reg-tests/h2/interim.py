# SPDX-License-Identifier: BSD-2-Clause
"""What interim.sh describes: a server of HTTP/1, and clients of both, who wait for what is said."""

import re
import socket
import threading

import frames
from http1 import Reader, reply
from origin import listen, serve_each
from service import Service, check, connect, finish, read_all, until

service = Service()
args = service.args
early = []  # bodies that came before they were asked for
HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </" + b"x" * 8000 + b">\r\n\r\n"
HINTS = 100
stuck = threading.Event()  # the server may not say any more
floods = []  # bytes that a server could say before it was left


def flood(s, hint, times):
    """Until the connection is closed; what is said behind that many."""
    s.settimeout(0.5)
    left, said = memoryview(hint * times), 0
    while said < len(left):
        try:
            said += s.send(left[said:said + 65536])
        except TimeoutError:
            stuck.set()
        except OSError:
            break
    stuck.set()
    floods.append(said)
    return said == len(left)


def serve(s):
    r = Reader(s)
    head = r.head() or b""
    if b"/flood" in head:
        flood(s, HINT, 2000)
    elif b"/many" in head:
        if flood(s, HINT, HINTS):
            s.settimeout(30)
            s.sendall(reply(b"ok", close=True))
    elif b"/endless" in head:
        flood(s, b"HTTP/1.1 103 Early Hints\r\n\r\n", 50000)
    elif b"/continue" in head:
        early.extend([bytes(r.held)] if r.held else [])
        s.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        s.sendall(reply(r.exactly(5), close=True))
    elif head:
        s.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
                  b"HTTP/1.1 103 Early Hints\r\nLink: </b.css>\r\n\r\n"
                  b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\n"
                  b"Connection: close\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 17\r\n\r\n")


def heads(client, stream):
    """Status and Link of each, and the trailers' X-Sum."""
    said = [dict(frames.read_block(f.payload)) for f in client.seen
            if f.kind == frames.HEADERS and f.stream == stream]
    return [(d.get(":status"), d.get("link") or d.get("x-sum")) for d in said]


def over_h2(prefix, name):
    client = frames.Client(args.front)
    stream = client.open(frames.request(prefix + "continue", "POST",
                                        extra=[("expect", "100-continue"), ("content-length", "5")]),
                         False)
    first = client.wait(lambda f: f.kind == frames.HEADERS and f.stream == stream)
    check(f"{name}: 100 comes first", bool(first) and heads(client, stream) == [("100", None)])
    client.send(frames.frame(frames.DATA, frames.END_STREAM, stream, b"abcde"))
    f = client.wait(lambda f: f.stream == stream and f.flags & frames.END_STREAM)
    check(f"{name}: the body is answered", bool(f) and client.body(stream) == b"abcde" and
          heads(client, stream) == [("100", None), ("200", None)])
    stream = client.open(frames.request(prefix + "hints", extra=[("te", "trailers")]))
    f = client.wait(lambda f: f.stream == stream and f.flags & frames.END_STREAM)
    check(f"{name}: two hints, a response, trailers: {heads(client, stream)}",
          bool(f) and client.body(stream) == b"hello" and heads(client, stream) == [
              ("103", "</a.css>"), ("103", "</b.css>"), ("200", None), (None, "17")])
    client.close()


def over_h1(prefix, name):
    with connect(args.front) as s:
        s.sendall(b"POST %scontinue HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
                  b"Content-Length: 5\r\nConnection: close\r\n\r\n" % prefix)
        r = Reader(s)
        head = r.head() or b""
        check(f"{name}: 100 comes first", head.startswith(b"HTTP/1.1 100 ") and not r.held)
        s.sendall(b"abcde")
        got = read_all(s)
        check(f"{name}: the body is answered", got.startswith(b"HTTP/1.1 200 ") and got.endswith(b"abcde"))
    with connect(args.front) as s:
        s.sendall(b"GET %shints HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: close, TE\r\n\r\n" % prefix)
        got = read_all(s)
        check(f"{name}: two hints, a response, trailers: " + repr(got), bool(re.fullmatch(
            rb"(?is)HTTP/1.1 103 .*?link: </a.css>\r\n.*?HTTP/1.1 103 .*?link: </b.css>\r\n.*?"
            rb"HTTP/1.1 200 .*hello\r\n0\r\nx-sum: 17\r\n\r\n", got)))


def unread(prefix, name):
    """Nobody reads: the server is held back, or what it says thrown away, and the client left."""
    for what in "HTTP/1", "HTTP/2":
        floods.clear()
        if what == "HTTP/2":
            client = frames.Client(args.front, rcvbuf=4096)
            client.open(frames.request(prefix + "flood"))
            sock = client.sock
        else:
            sock = connect(args.front)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(b"GET %sflood HTTP/1.1\r\nHost: x\r\n\r\n" % prefix.encode())
        until("the server was left", lambda: floods)
        check(f"{what} to {name}: the server could say {floods} bytes", floods[0] < (3 if prefix == "/" else 12) << 20)
        sock.close()


def late(prefix, name):
    """What was held back comes all the same; a connection of HTTP/2 is held back for nobody."""
    stuck.clear()
    client = frames.Client(args.front)
    stream = client.open(frames.request(prefix + "many"))
    stuck.wait(30)
    got = client.ends(stream)
    said = [s for s, _ in heads(client, stream)]
    check(f"HTTP/2 to {name}: {len(said)} heads, {got}", got is not None and got[1] == b"ok" and
          (prefix != "/" or said == ["103"] * HINTS + ["200"]) and said[-1] == "200")
    client.close()
    stuck.clear()
    with connect(args.front) as s:
        s.sendall(b"GET %smany HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % prefix.encode())
        stuck.wait(30)
        got = read_all(s)
        count = got.count(b"HTTP/1.1 103 ")
        check(f"HTTP/1 to {name}: {count} hints came late", got.endswith(b"\r\n\r\nok") and
              (count == HINTS or prefix != "/"))


def endless(prefix, name):
    with connect(args.front) as s:
        s.sendall(b"GET %sendless HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % prefix)
        got = read_all(s)
        count = got.count(b"HTTP/1.1 103 ")
        check(f"HTTP/1 to {name}: 502 behind {count}", 900 < count < 5000 and b"HTTP/1.1 502 " in got)


listener = listen(args.back)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
serve_each(listener, serve)
over_h2("/", "HTTP/2 to HTTP/1")
over_h2("/h2/", "HTTP/2 to HTTP/2")
over_h1(b"/", "HTTP/1 to HTTP/1")
over_h1(b"/h2/", "HTTP/1 to HTTP/2")
unread("/", "HTTP/1")
late("/", "HTTP/1")
unread("/h2/", "HTTP/2")
late("/h2/", "HTTP/2")
endless(b"/", "HTTP/1")
endless(b"/h2/", "HTTP/2")
check(f"no body was sent before it was asked for: {early}", not early)
finish()
