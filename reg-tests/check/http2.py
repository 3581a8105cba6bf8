# SPDX-License-Identifier: BSD-2-Clause
"""Checks of HTTP over HTTP/2: results, requests, and which protocol is spoken. See h2_peer.py."""

import socket
import struct
import sys

import frames
from frames import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING,
                    SETTINGS, WINDOW_UPDATE, block, frame, settings)
from h2_peer import OURS, Case, Gone, answer, main, says

HTTPCHK = ["option httpchk GET /h"]
SENDS = ["option httpchk", "http-check send meth GET uri /"]
OK = "succeeded, reason: Layer7 check passed, code: 200"
RSP = "failed, reason: Layer7 invalid response"
ERROR = "failed, reason: Socket error"


def sends(*data):
    """Behind the request."""
    def serve(p):
        p.request()
        p.send(b"".join(data))
    return serve


def leaves(*data):
    def serve(p):
        p.request()
        p.send(b"".join(data))
        p.sock.shutdown(socket.SHUT_RDWR)
    return serve


def either(p):
    """By what the client says first."""
    while len(p.rest) < 3:
        p.more()
    if p.rest.startswith(b"PRI"):
        p.h2 = True
        p.request()
        p.answer()
        return
    p.h2 = False
    while b"\r\n\r\n" not in p.rest:
        p.more()
    p.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")
    raise Gone


def only_h1(p):
    p.more()
    p.send(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")


def slow(p):
    p.preface()
    p.slowly(settings())
    p.wait(HEADERS)
    p.slowly(answer(200, [("x-a", "b")], b"one two", [("x-t", "1")]))


def continued(p):
    fields = block([(":status", "200"), ("x-long", "x" * 3000), ("x-a", "last")])
    p.request()
    p.send(frame(HEADERS, END_STREAM, 1, fields[:1]) +
           b"".join(frame(CONTINUATION, 0, 1, fields[i:i + 500]) for i in range(1, len(fields), 500)) +
           frame(CONTINUATION, END_HEADERS, 1))


def padded(p):
    p.request()
    p.send(frame(HEADERS, END_HEADERS | frames.PADDED, 1, b"\x05" + block([(":status", "200")]) + bytes(5)) +
           frame(DATA, frames.PADDED, 1, b"\xffhel" + bytes(255)) +
           frame(DATA, frames.PADDED | END_STREAM, 1, b"\0lo"))


def tiny_windows(p):
    """The body is on its way when the server says that it would have liked less."""
    p.request(settings((frames.INITIAL_WINDOW_SIZE, 0)))
    p.answer()


def windows_given_back(p):
    """More padding than both windows have."""
    p.request()
    p.send(frames.headers(1, [(":status", "200")], False))
    room = {0: 65535, 1: 65535}
    for _ in range(300):
        while min(room.values()) < 500:
            f = p.wait(WINDOW_UPDATE)
            room[f.stream] += int.from_bytes(f.payload, "big")
        for stream in room:
            room[stream] -= 500
        p.send(frame(DATA, frames.PADDED, 1, b"\xffxxxxx" + bytes(255)) +
               frame(DATA, frames.PADDED, 1, b"\xee" + bytes(238)))
    p.send(frame(DATA, END_STREAM, 1, b"the end"))


def pings(p):
    """An answer to each SETTINGS and PING, before the response comes."""
    p.request()
    p.send(settings((1, 100)) + frame(PING, 0, 0, b"12345678"))
    assert p.wait(SETTINGS, ACK) and p.wait(PING, ACK).payload == b"12345678"
    p.answer()


def last_words(p):
    p.request()
    p.answer()
    p.last = p.wait(GOAWAY)


def tables(p):
    """What the dynamic table holds is known in the trailers."""
    p.request()
    p.send(frame(HEADERS, END_HEADERS, 1, block([(":status", "200")]) + frames.literal("x-a", "b", True)) +
           frame(DATA, 0, 1, b"x") + frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xbe"))


def has(*fields):
    return lambda p: p.fields is not None and all(f in p.fields for f in fields)


def lacks(*names):
    return lambda p: p.fields is not None and not {n for n, _ in p.fields} & set(names)


def expect(rule):
    return HTTPCHK + ["http-check expect " + rule]


def spoke(h2, alpn=None):
    return lambda p: p.h2 == h2 and p.alpn == alpn


ALPN = ["h2", "http/1.1"]
body = says(200, [("x-a", "b, c"), ("content-length", "10")], b"hello body")
CASES = [
    # What is expected of responses.
    Case("status", HTTPCHK, says(), OK),
    Case("status-404", HTTPCHK, says(404), "failed, reason: Layer7 wrong status, code: 404, info: \"Not Found\"",
         reference="failed, reason: Layer7 wrong status, code: 404"),
    Case("on-its-way-out", HTTPCHK + ["http-check disable-on-404"], says(404),
         "conditionally succeeded, reason: Layer7 check conditionally passed, code: 404"),
    Case("rstatus", expect("rstatus ^20"), says(204), OK.replace("200", "204")),
    Case("string", expect("string llo"), body, OK),
    Case("string-not", expect("! string llo"), body, RSP + ", info: \"HTTP check matched unwanted content\""),
    Case("string-missing", expect("string zzz"), body, RSP + ", info: \"HTTP content check did not match\""),
    Case("rstring", expect("rstring hel+o.body$"), body, OK),
    Case("no-body", expect("string x"), says(),
         RSP + ", info: \"HTTP content check could not find a response body\""),
    Case("hdr", expect("hdr name x-a value c"), body, OK),
    Case("fhdr", expect("fhdr name x-a value -m beg \"b, c\""), body, OK),
    Case("hdr-missing", expect("hdr name x-b"), says(404),
         "failed, reason: Layer7 wrong status, code: 404, info: \"Not Found\"",
         reference="failed, reason: Layer7 wrong status, code: 404"),
    Case("on-success", expect("status 200 on-success \"%[res.ver] %[status] %[res.hdr(x-a)]\""), body,
         OK + ", info: \"2.0 200 c\""),
    Case("on-error", expect("comment why error-status L4CON on-error \"%[status]!\" status 200"), says(503),
         "failed, reason: Layer4 connection problem, info: \"503! comment: why\""),
    Case("several-rules", expect("status 200") + ["http-check expect hdr name x-a value b",
                                                  "http-check expect string hello",
                                                  "http-check expect ! string bye"], body, OK),
    Case("several-rules-of-a-part", expect("status 200") + ["http-check expect string hel",
                                                            "http-check expect string body"],
         sends(answer(200, (), b"hello", [])[:-9], frames.rst(1, 2)),
         RSP + ", info: \"the server has reset the stream (INTERNAL_ERROR)\"", reference=OURS),
    Case("head", ["option httpchk HEAD /"], says(200, [("content-length", "10")]), OK),
    Case("interim", HTTPCHK, sends(frames.headers(1, [(":status", "103")], False), answer()), OK,
         reference="failed, reason: Layer7 wrong status, code: 103"),
    Case("trailers", expect("string one"), says(200, (), b"one", [("x-t", "1")]), OK),
    Case("one-by-one", expect("string two"), slow, OK),
    Case("continued", expect("hdr name x-a value last"), continued, OK),
    Case("padded", expect("string hello"), padded, OK, reference=OURS),
    Case("tables", expect("string x"), tables, OK),
    Case("windows-given-back", expect("rstring end$"), windows_given_back, OK, reference=OURS),
    Case("acknowledged", HTTPCHK, pings, OK),
    Case("last-words", HTTPCHK, last_words, OK),
    # What the server is asked.
    Case("pseudo-fields", HTTPCHK, says(), OK, asked=lambda p: has(
        (":method", "GET"), (":scheme", "http"), (":path", "/h"),
        (":authority", "127.0.0.1:%d" % p.port))(p) and lacks("host", "connection")(p)),
    Case("scheme-of-tls", HTTPCHK, says(), OK, "ssl check-proto h2", ["h2"], has((":scheme", "https")), reference=OURS),
    Case("host", ["option httpchk", "http-check send meth GET uri /a?b ver HTTP/1.1 hdr Host x.example hdr X-A b"],
         says(), OK, asked=has((":authority", "x.example"), (":path", "/a?b"), ("x-a", "b"))),
    Case("connection-fields", ["option httpchk", "http-check send meth GET uri / hdr Connection close "
                               "hdr Upgrade x hdr Keep-Alive 1"], says(), OK,
         asked=lacks("connection", "upgrade", "keep-alive", "host"), reference=OK),
    Case("formats", ["option httpchk", "http-check set-var(check.p) str(/p)",
                     "http-check send meth POST uri-lf %[var(check.p)] hdr x-s %[srv_name] body-lf b%[srv_name]"],
         says(), OK, asked=lambda p: p.body == b"bs" and has((":path", "/p"), ("x-s", "s"),
                                                               ("content-length", "2"))(p)),
    Case("send-state", HTTPCHK + ["http-check send-state"], says(), OK,
         asked=lambda p: "; name=send-state/s;" in dict(p.fields)["x-haproxy-server-state"]),
    Case("options", ["option httpchk"], says(), OK, asked=has((":method", "OPTIONS"), (":path", "/"))),
    Case("no-path", ["option httpchk GET h"], lambda p: p.drain(),
         RSP + ", info: \"the request cannot leave by HTTP/2\"", reference=OURS),
    Case("tiny-windows", ["option httpchk", "http-check send meth POST uri / body " + "abcd" * 1000],
         tiny_windows, OK, asked=lambda p: p.body == b"abcd" * 1000, reference=OURS),
    # Which protocol.
    Case("check-proto-h2", SENDS, either, OK, asked=spoke(True)),
    Case("as-traffic", SENDS, either, OK, "proto h2", asked=spoke(True)),
    Case("not-as-traffic", SENDS, either, OK, "proto h2 check-proto h1", asked=spoke(False)),
    Case("connect-proto", ["option httpchk", "http-check connect proto h2", "http-check send meth GET uri /"],
         either, OK, "", asked=spoke(True)),
    Case("connect", ["option httpchk", "http-check connect", "http-check send meth GET uri /"], either, OK,
         asked=spoke(False)),
    Case("connect-default", ["option httpchk", "http-check connect default", "http-check send meth GET uri /"],
         either, OK, asked=spoke(True)),
    Case("connect-default-h1", ["option httpchk", "http-check connect default proto h1",
                                "http-check send meth GET uri /"], either, OK, asked=spoke(False)),
    Case("alpn", SENDS, either, OK, "ssl alpn h2,http/1.1", ALPN, spoke(True, "h2")),
    Case("alpn-h1", SENDS, either, OK, "ssl alpn h2,http/1.1", ALPN[1:], spoke(False, "http/1.1")),
    Case("check-alpn", SENDS, either, OK, "ssl check-alpn h2,http/1.1", ALPN, spoke(True, "h2")),
    Case("check-ssl", SENDS, either, OK, "check-ssl alpn h2,http/1.1", ALPN, spoke(True, "h2")),
    Case("check-alpn-h1", SENDS, either, OK, "ssl alpn h2,http/1.1 check-alpn http/1.1", ALPN,
         spoke(False, "http/1.1")),
    Case("check-proto-tls", SENDS, either, OK, "ssl check-proto h2", ALPN, spoke(True, "h2"), reference=OURS),
    Case("check-proto-h1-tls", SENDS, either, OK, "ssl alpn h2,http/1.1 check-proto h1", ALPN,
         spoke(False, "http/1.1")),
    Case("proto-tls", SENDS, either, OK, "ssl proto h2", ALPN, spoke(True, "h2"), reference=OURS),
    Case("connect-alpn", ["option httpchk", "http-check connect ssl alpn h2,http/1.1",
                          "http-check send meth GET uri /"], either, OK, "", ALPN, spoke(True, "h2")),
    Case("tcp-check", ["option tcp-check", "tcp-check send GET\\ /\\ HTTP/1.0\\r\\n\\r\\n",
                       "tcp-check expect string 200"], either,
         "succeeded, reason: Layer7 check passed, code: 0, info: \"(tcp-check)\"", "ssl alpn h2,http/1.1",
         ALPN, spoke(False, "http/1.1"), reference="succeeded, reason: Layer7 check passed, code: 0, info: \"(tcp-check)\""),
    Case("two-connections", ["option httpchk", "http-check connect default", "http-check send meth GET uri /1",
                             "http-check expect status 200", "http-check connect default proto h2",
                             "http-check send meth GET uri /2", "http-check expect status 200"], says(), OK),
    # What is no response.
    Case("reset", HTTPCHK, sends(frames.rst(1, frames.REFUSED_STREAM)),
         ERROR + ", info: \"the server has reset the stream (REFUSED_STREAM)\"", reference=ERROR),
    Case("reset-in-body", expect("! string x"), sends(answer(200, (), b"abc", [])[:-9], frames.rst(1, 2)),
         RSP + ", info: \"the server has reset the stream (INTERNAL_ERROR)\"", reference=OK),
    Case("goaway", HTTPCHK, sends(frame(GOAWAY, 0, 0, struct.pack(">II", 0, frames.ENHANCE_YOUR_CALM))),
         ERROR + ", info: \"the server has sent GOAWAY (ENHANCE_YOUR_CALM)\"", reference=OURS),
    Case("goaway-behind", HTTPCHK, sends(frame(GOAWAY, 0, 0, struct.pack(">II", 1, 0)), answer()), OK),
    Case("only-h1", HTTPCHK, only_h1, ERROR + ", info: \"the server does not speak HTTP/2\"", reference=ERROR),
    Case("silent", HTTPCHK, sends(), "failed, reason: Layer7 timeout"),
    Case("closes", HTTPCHK, leaves(), ERROR + ", info: \"the server closed the connection without a response\"",
         reference=RSP + ", info: \"TCPCHK got an empty response at step 2\""),
    Case("closes-in-body", expect("string x"), leaves(frames.headers(1, [(":status", "200")], False)),
         RSP + ", info: \"the server closed the connection within the response\"",
         reference=RSP + ", info: \"HTTP content check could not find a response body\""),
]

if __name__ == "__main__":
    sys.exit(main(CASES))
