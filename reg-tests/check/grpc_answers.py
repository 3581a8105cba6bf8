# SPDX-License-Identifier: BSD-2-Clause
"""option grpc-check: what servers may answer, and what they are asked. See h2_peer.py."""

import struct
import sys

import frames
import h2_peer
from frames import DATA, HEADERS, frame, settings
from h2_peer import OURS, Case, answer, main

GRPC = [("content-type", "application/grpc")]
OK = "succeeded, reason: Layer7 check passed, code: 200"
STATUS = "failed, reason: Layer7 wrong status, code: 200, info: "
RSP = "failed, reason: Layer7 invalid response, info: "
DONE = [("grpc-status", "0")]


def message(status=1):
    data = b"\x08" + bytes([status]) if status else b""
    return struct.pack(">BI", 0, len(data)) + data


def says(body=message(), trailers=DONE, status=200, fields=GRPC):
    return h2_peer.says(status, fields, body, trailers)


def fails(code, *more):
    """A response that has nothing but a head."""
    def serve(p):
        p.request()
        p.answer(200, GRPC + [("grpc-status", str(code)), *more])
    return serve


def slow(p):
    p.preface()
    p.slowly(settings())
    p.wait(HEADERS)
    p.slowly(answer(200, GRPC, message(), DONE))


def large(p):
    p.request()
    p.send(frames.headers(1, [(":status", "200"), *GRPC], False) + frame(DATA, 0, 1, bytes(16000)) * 2)


def asked(body):
    wanted = [(":method", "POST"), (":scheme", "http"), (":path", "/grpc.health.v1.Health/Check"),
              ("content-type", "application/grpc"), ("te", "trailers")]
    return lambda p: p.body == body and all(f in p.fields for f in wanted) and \
        dict(p.fields)[":authority"] == "127.0.0.1:%d" % p.port


def case(name, serve, wanted, service="", words="", **more):
    return Case(name, ["option grpc-check " + service], serve, wanted, words, reference=OURS, **more)


CASES = [
    case("serving", says(), OK, asked=asked(bytes(5))),
    case("service", says(), OK, "a.B", asked=asked(b"\0\0\0\0\5\x0a\3a.B")),
    case("tls", says(), OK, words="check-ssl", tls=["h2", "http/1.1"],
         asked=lambda p: p.alpn == "h2" and (":scheme", "https") in p.fields),
    case("tls-alpn-h1", says(), OK, words="ssl alpn http/1.1", tls=["h2", "http/1.1"],
         asked=lambda p: p.alpn == "h2"),
    case("tcp-traffic", says(), OK, words="proto h1"),
    case("one-by-one", slow, OK),
    case("not-serving", says(message(2)), STATUS + '"NOT_SERVING"'),
    case("service-unknown", says(message(3)), STATUS + '"SERVICE_UNKNOWN"'),
    case("unknown", says(message(0)), STATUS + '"UNKNOWN"'),
    case("another", says(message(9)), STATUS + '"a serving status that does not exist"'),
    case("unimplemented", fails(12, ("grpc-message", "Method not found!")),
         STATUS + '"grpc-status 12 (UNIMPLEMENTED): the server has no health service"'),
    case("not-found", fails(5, ("grpc-message", "no%20such service%0a")),
         STATUS + '"grpc-status 5 (NOT_FOUND): no such service<0A>"'),
    case("behind-a-message", says(message(), [("grpc-status", "14"), ("grpc-message", "later")]),
         STATUS + '"grpc-status 14 (UNAVAILABLE): later"'),
    case("strange-status", fails(99), STATUS + '"grpc-status 99 (unknown)"'),
    case("no-number", fails("x"), STATUS + '"grpc-status x (no number)"'),
    case("no-status", says(message(), [("x-t", "1")]), RSP + '"the response has no grpc-status"'),
    case("no-trailers", says(message(), None), RSP + '"the response has no grpc-status"'),
    case("http-status", says(status=503), STATUS.replace("200", "503") + '"the status of HTTP is not 200"'),
    case("not-grpc", says(b"hello", None, fields=[("content-type", "text/html")]),
         RSP + '"the response is not one of gRPC"'),
    case("no-message", says(b"x"[:0]), RSP + '"the response has no message"'),
    case("cut", says(message()[:-1]), RSP + '"the message is cut"'),
    case("compressed", says(b"\1" + message()[1:]), RSP + '"the message is compressed"'),
    case("malformed", says(b"\0\0\0\0\1\x08"), RSP + '"malformed message"'),
    case("large", large, RSP + '"the response exceeds tune.bufsize"'),
    case("silent", lambda p: p.request(), "failed, reason: Layer7 timeout"),
    case("no-end", lambda p: (p.request(), p.send(answer(200, GRPC, message(), DONE)[:-16])),
         "failed, reason: Layer7 timeout"),
    case("reset", lambda p: (p.request(), p.send(frames.rst(1, frames.REFUSED_STREAM))),
         'failed, reason: Socket error, info: "the server has reset the stream (REFUSED_STREAM)"'),
    case("only-h1", lambda p: (p.more(), p.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")),
         'failed, reason: Socket error, info: "the server does not speak HTTP/2"'),
]

if __name__ == "__main__":
    sys.exit(main(CASES))
