# SPDX-License-Identifier: BSD-2-Clause
"""The rows of malformed.sh: what is wrong with a request, and the frames that say it."""
import contextlib

from frames import (DATA, END_HEADERS, END_STREAM, HEADERS, PROTOCOL_ERROR, Client, block, frame,
                    request)
from origin import Origin
from service import Service, check, finish, until

service = Service()


class Whole(Origin):
    """Counts requests that are complete, and keeps them."""

    def __init__(self, where):
        self.got = []
        super().__init__(where)

    def serve(self, s):
        with s, contextlib.suppress(ConnectionResetError):  # refused in the middle
            data = b""
            while piece := s.recv(65536):
                data += piece
                head, found, body = data.partition(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")
                fields = [tuple(line.split(": ", 1)) for line in lines[1:]]
                named = {name.lower(): value for name, value in fields}
                size = int(named.get("content-length", 0))
                if not found or len(body) < size or \
                        "transfer-encoding" in named and not body.endswith(b"0\r\n\r\n") and \
                        not ("trailer" in named and body.endswith(b"\r\n\r\n")):
                    continue
                with self.lock:
                    self.requests += 1
                    self.got.append((lines[0], fields, body))
                s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
                return


origin = Whole(service.args.back)


def but(**changes):
    """A request with these pseudo-fields; None: without."""
    fields = []
    for name, value in request():
        value = changes.get(name[1:], value)
        fields += [(name, value)] if value is not None else []
    return fields


def with_field(name, value="1"):
    return request(extra=[(name, value)])


def extended(protocol):
    return [*request(method="CONNECT"), (":protocol", protocol)]


def post(*extra):
    return request(method="POST", extra=extra)


def with_trailers(fields, flags=END_STREAM):
    """Frames behind the head of a POST."""
    return lambda stream: (frame(DATA, 0, stream, b"abc") +
                           frame(HEADERS, flags | END_HEADERS, stream, block(fields)))


def data(*pieces, end=True):
    def frames(stream):
        out = b""
        for i, piece in enumerate(pieces):
            last = END_STREAM if end and i + 1 == len(pieces) else 0
            out += frame(DATA, last, stream, piece)
        return out
    return frames


HEADS = [  # what is wrong, fields; the stream ends with them
    ("no :method", but(method=None)),
    ("no :scheme", but(scheme=None)),
    ("no :path", but(path=None)),
    (":method twice", [(":method", "GET")] + request()),
    (":scheme twice", [(":scheme", "http")] + request()),
    (":path twice", [(":path", "/")] + request()),
    (":authority twice", [(":authority", "x")] + request()),
    ("a pseudo-field behind a field", request()[:3] + [("a", "b")] + request()[3:]),
    ("a pseudo-field that is not known", [(":what", "1")] + request()),
    (":status in a request", [(":status", "200")] + request()),
    (":protocol without CONNECT", [(":protocol", "websocket")] + request()),
    (":method empty", but(method="")),
    (":method with a line end", but(method="GET / HTTP/1.1\r\n")),
    (":path empty", but(path="")),
    (":path without a slash", but(path="a")),
    (":path with a scheme", but(path="http://x/")),
    (":path with a blank", but(path="/a b")),
    (":path with a version", but(path="/ HTTP/1.1")),
    (":path with a line end", but(path="/\r\nX: y")),
    (":path with NUL", but(path="/\0")),
    (":path with a fragment", but(path="/#a")),
    (":authority with a line end", but(authority="x\r\nA: b")),
    ("a name in upper case", with_field("Abc")),
    ("a name that is empty", with_field("")),
    ("a name with a blank", with_field("a b")),
    ("a name with a blank behind it", with_field("a ")),
    ("a name with a colon", with_field("a:b")),
    ("a name with a line end", with_field("a\r\nb")),
    ("a name with NUL", with_field("a\0")),
    ("a name with a control", with_field("a\x01")),
    ("a name with DEL", with_field("a\x7f")),
    ("a name beyond ASCII", with_field("a\xe9")),
    ("a value with CR", with_field("a", "b\rc")),
    ("a value with LF", with_field("a", "b\nc")),
    ("a value with a field", with_field("a", "b\r\nX: y")),
    ("a value with NUL", with_field("a", "b\0")),
    ("Connection", with_field("connection", "close")),
    ("Keep-Alive", with_field("keep-alive", "timeout=5")),
    ("Proxy-Connection", with_field("proxy-connection", "close")),
    ("Transfer-Encoding", with_field("transfer-encoding", "chunked")),
    ("Transfer-Encoding: identity", with_field("transfer-encoding", "identity")),
    ("Upgrade", with_field("upgrade", "websocket")),
    ("TE that is not trailers", with_field("te", "gzip")),
    ("TE: trailers and more", with_field("te", "trailers, gzip")),
    ("Content-Length without a body", post(("content-length", "5"))),
    ("Content-Length that is no number", post(("content-length", "x"))),
    ("Content-Length with a sign", post(("content-length", "+0"))),
    ("Content-Length that is empty", post(("content-length", ""))),
    ("Content-Length that differs", post(("content-length", "0"), ("content-length", "1"))),
    ("Content-Length as a list", post(("content-length", "0, 1"))),
    ("CONNECT with :path", [(":method", "CONNECT"), (":path", "/"), (":authority", "x:1")]),
    ("CONNECT with :scheme", [(":method", "CONNECT"), (":scheme", "http"),
                              (":authority", "x:1")]),
    ("CONNECT without :authority", [(":method", "CONNECT")]),
    ("no field at all", b""),
]
ANSWERED = [  # what is no request either, but can be nothing else
    (":method with a blank", but(method="GE T")),
    (":scheme empty", but(scheme="")),
    (":scheme with a blank", but(scheme="ht tp")),
    (":path * with GET", but(path="*")),
    (":path with a tab", but(path="/\t")),
    (":path with DEL", but(path="/\x7f")),
    (":authority empty", but(authority="")),
    (":authority with a comma", but(authority="x,y")),
    (":authority with a user", but(authority="u@x")),
    (":authority with a password", but(authority="u:p@x")),
    (":authority with a fragment", but(authority="x#y")),
    (":authority with a path", but(authority="x/y")),
    (":authority with a blank", but(authority="x y")),
    (":authority with another port", but(authority="x:99999")),
    ("Host that differs from :authority", with_field("host", "y")),
    ("Host twice", but(authority=None) + [("host", "x"), ("host", "x")]),
    ("Host with a comma", but(authority=None) + [("host", "x,y")]),
    ("a value with a control", with_field("a", "b\x01c")),
    ("a blank in front of a value", with_field("a", " b")),
    ("a blank behind a value", with_field("a", "b ")),
    ("a tab in front of a value", with_field("a", "\tb")),
    ("a tab behind a value", with_field("a", "b\t")),
    ("CONNECT without a port", [(":method", "CONNECT"), (":authority", "x")]),
    (":path with a byte beyond ASCII", but(path="/\xe9")),
    (":authority with an address that does not end", but(authority="[::1")),
    (":scheme that holds a path", but(scheme="h:/?")),
    (":scheme that begins with a digit", but(scheme="1a")),
    ("PRI and *", but(method="PRI", path="*")),
    ("PRI and a path", but(method="PRI")),
    ("CONNECT with port 0", [(":method", "CONNECT"), (":authority", "x:0")]),
    ("CONNECT with a user", [(":method", "CONNECT"), (":authority", "u@x:1")]),
    (":protocol empty", extended("")),
    (":protocol with a blank", extended("a b")),
    (":protocol that is a list", extended("a, b")),
    (":protocol of the connection itself", extended("h2c")),
]
LENGTH = ("content-length", "5")
BODIES = [  # what is wrong, fields, frames behind them
    ("less than Content-Length", post(LENGTH), data(b"abc")),
    ("less than Content-Length, an empty frame at the end", post(LENGTH), data(b"abc", b"")),
    ("more than Content-Length", post(LENGTH), data(b"abcdef")),
    ("more than Content-Length, in a frame of its own", post(LENGTH), data(b"abcde", b"f")),
    ("none with Content-Length", post(LENGTH), data(b"")),
    ("less than Content-Length, and trailers", post(LENGTH), with_trailers([("a", "b")])),
    ("trailers with a pseudo-field", post(), with_trailers([(":path", "/")])),
    ("trailers with Content-Length", post(), with_trailers([("content-length", "3")])),
    ("trailers with Transfer-Encoding", post(), with_trailers([("transfer-encoding", "chunked")])),
    ("trailers with Host", post(), with_trailers([("host", "x")])),
    ("trailers with TE", post(), with_trailers([("te", "trailers")])),
    ("trailers with Connection", post(), with_trailers([("connection", "close")])),
    ("trailers in upper case", post(), with_trailers([("A", "b")])),
    ("trailers with a line end", post(), with_trailers([("a", "b\r\nc: d")])),
    ("trailers that do not end the stream", post(), with_trailers([("a", "b")], 0)),
]


def refused(what, c, stream):
    before = origin.requests
    how = c.ends(stream)
    good = c.ping() and how == ("reset", PROTOCOL_ERROR)
    check(f"{what}: {how}", good and origin.requests == before)


def heads():
    c = Client(service.args.front)
    for what, fields in HEADS:
        refused(what, c, c.open(fields))
    check("the connection goes on", c.ends(c.open()) == (200, b"hello"))
    c.close()


def answered():
    """With 400 and a line in the log, whether a body follows or not."""
    c, number = Client(service.args.front), 0
    for what, fields in ANSWERED:
        for more in b"", frame(DATA, 0, c.next, b"a") + frame(DATA, END_STREAM, c.next, b"b"):
            before, stream = origin.requests, c.open(fields, not more, more)
            how = c.ends(stream)
            number += 1
            check(f"{what}, {'with' if more else 'without'} a body: {how}", how and how[0] == 400 and
                  b"400 Bad request" in how[1] and c.ping() and origin.requests == before)
    check("the connection goes on", c.ends(c.open()) == (200, b"hello"))
    c.close()
    until(f"the lines of {number}", lambda: service.logged("logged 400 PR <BADREQ>") == number)


def bodies():
    c = Client(service.args.front)
    for what, fields, frames in BODIES:
        refused(what, c, c.open(fields, False, frames(c.next)))
    check("the connection goes on", c.ends(c.open()) == (200, b"hello"))
    c.close()


def nothing_and_more():
    """With its head the request is complete for a server: it may have got it by then."""
    c = Client(service.args.front)
    how = c.ends(c.open(post(("content-length", "0")), False, frame(DATA, END_STREAM, c.next, b"a")))
    check(f"a body with Content-Length 0: {how}", how == ("reset", PROTOCOL_ERROR) and c.ping())
    c.close()


def arrives(what, fields, line, wanted=(), more=None, body=b""):
    """It reaches the server as this line, with these fields among others."""
    c = Client(service.args.front)
    how = c.ends(c.open(fields, not more, more(c.next) if more else b""))
    got = origin.got[-1]
    good = how == (200, b"hello") and got[0] == line and got[2] == body
    check(f"{what}: {got}", good and all(field in got[1] for field in wanted))
    c.close()


def what_is_allowed():
    arrives("a request", request("/a?b"), "GET /a?b HTTP/1.1", [("host", "x")])
    arrives("Host alone", but(authority=None) + [("host", "y:80")], "GET / HTTP/1.1",
            [("host", "y:80")])
    arrives("both that agree", with_field("host", "x"), "GET / HTTP/1.1", [("host", "x")])
    arrives("OPTIONS *", but(method="OPTIONS", path="*"), "OPTIONS * HTTP/1.1")
    arrives("crumbs", request(extra=[("cookie", "a=1"), ("b", "2"), ("cookie", "c=3")]),
            "GET / HTTP/1.1", [("cookie", "a=1; c=3"), ("b", "2")])
    arrives("a body", post(LENGTH), "POST / HTTP/1.1", [("content-length", "5")],
            data(b"ab", b"", b"cde"), b"abcde")
    arrives("a body without a length", post(), "POST / HTTP/1.1",
            [("transfer-encoding", "chunked")], data(b"abc"), b"3\r\nabc\r\n0\r\n\r\n")
    arrives("an empty value", with_field("a", ""), "GET / HTTP/1.1", [])
    arrives("trailers", post(("trailer", "a"), ("te", "trailers")), "POST / HTTP/1.1", [],
            with_trailers([("a", "b")]), b"3\r\nabc\r\n0\r\na: b\r\n\r\n")


what_is_allowed()
heads()
answered()
bodies()
nothing_and_more()
finish()
