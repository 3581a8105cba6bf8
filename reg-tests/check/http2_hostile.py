# SPDX-License-Identifier: BSD-2-Clause
"""
Servers of HTTP/2 that mean harm to who checks them: each has a result, all at once take little
memory. See h2_peer.py.
"""

import socket
import struct
import sys
import threading

import frames
from frames import (CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, block,
                    frame, settings)
from h2_peer import DEADLINE, OURS, Case, answer, main

HTTPCHK = ["option httpchk GET /"]
OK = "succeeded, reason: Layer7 check passed, code: 200"
ERROR = "failed, reason: Socket error, info: "
RSP = "failed, reason: Layer7 invalid response, info: "
TIMEOUT = "failed, reason: Layer7 timeout"
LARGE = '"the response\'s header fields exceed tune.bufsize"'
HEAD = frames.headers(1, [(":status", "200")], False)


def wrong(text, code="PROTOCOL_ERROR"):
    return '"HTTP/2: %s (%s)"' % (text, code)


IDLE = wrong("too many frames that bring nothing", "ENHANCE_YOUR_CALM")


def says(*data):
    def serve(p):
        p.request()
        p.send(b"".join(data))
    return serve


def endless(data, *first):
    """Until the check has gone. What it says meanwhile is read."""
    def serve(p):
        p.request()
        p.send(b"".join(first))
        p.sock.settimeout(DEADLINE)
        while True:
            p.send(data * max(1, 16000 // len(data)))
    return serve


def deaf(data):
    """The same of one that reads nothing behind the request: what it is answered stays on its
    way."""
    def serve(p):
        p.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        endless(data)(p)
    return serve


def closes_at(n):
    """In the middle of a good answer, or of what comes in front of it."""
    def serve(p):
        p.request(b"")
        p.send((settings() + answer(200, [("content-length", "4")], b"body"))[:n])
        p.sock.shutdown(socket.SHUT_RDWR)
    return serve


def bomb(p):
    """A field of 4000 bytes in the table, and one byte for each further time."""
    p.request()
    p.send(frames.headers(1, frames.literal(":status", "200") + frames.literal("x", "y" * 4000, True) +
                          b"\xbe" * 12000))


def case(name, serve, wanted, rules=HTTPCHK, words="check-proto h2", **more):
    return Case(name, rules, serve, wanted, words, reference=OURS, **more)


BODY = HTTPCHK + ["http-check expect string never"]
NO_MATCH = RSP + '"HTTP content check did not match"'
CLOSED = "the server closed the connection "
# How far a good answer is: nothing, SETTINGS cut, SETTINGS, HEADERS cut, HEADERS, DATA cut.
STEPS = [(0, ERROR + '"%swithout a word of HTTP/2"' % CLOSED), (5, ERROR + '"%swithout a word of HTTP/2"' % CLOSED),
         (9, ERROR + '"%swithout a response"' % CLOSED), (20, ERROR + '"%swithout a response"' % CLOSED),
         (len(settings() + answer(200, [("content-length", "4")], b"")) - 9, RSP + '"%swithin the response"' % CLOSED),
         (len(settings() + answer(200, [("content-length", "4")], b"")) + 2, RSP + '"%swithin the response"' % CLOSED)]

CASES = [
    # Floods end by their number, or by the time-out where the server takes no answers.
    case("settings-flood", endless(settings()), ERROR + IDLE),
    case("ping-flood", endless(frame(PING, 0, 0, bytes(8))), ERROR + IDLE),
    case("window-flood", endless(frames.window(0, 1)), ERROR + IDLE),
    case("priority-flood", endless(frame(frames.PRIORITY, 0, 1, bytes(5))), ERROR + IDLE),
    case("unknown-flood", endless(frame(77, 0, 0, bytes(16000))), ERROR + IDLE),
    case("empty-data-flood", endless(frame(DATA, 0, 1), HEAD), RSP + IDLE, BODY),
    case("padding-flood", endless(frame(DATA, frames.PADDED, 1, b"\xff" + bytes(255)), HEAD), RSP + IDLE, BODY),
    case("interim-flood", endless(frames.headers(1, [(":status", "103")], False)), ERROR + IDLE),
    case("goaway-flood", endless(frame(GOAWAY, 0, 0, struct.pack(">II", 1, 0))), ERROR + IDLE),
    case("slow-flood", lambda p: (p.request(), p.slowly(frame(PING, 0, 0, bytes(8)) * 1100)), ERROR + IDLE),
    case("deaf-flood", deaf(frame(PING, 0, 0, bytes(8))), ERROR + IDLE),
    # A body has no end: what fits is judged.
    case("endless-data", endless(frame(DATA, 0, 1, b"x" * 10000), HEAD), NO_MATCH, BODY),
    case("endless-small-data", endless(frame(DATA, 0, 1, b"x"), HEAD), NO_MATCH, BODY),
    case("status-of-endless-data", endless(frame(DATA, 0, 1, b"x" * 10000), HEAD), OK),
    case("no-window-update", lambda p: (p.request(), p.send(HEAD + frame(DATA, 0, 1, b"x")), p.drain()), TIMEOUT,
         BODY),
    # Lists of fields.
    case("continuation-flood", endless(frame(CONTINUATION, 0, 1), frame(HEADERS, 0, 1)), ERROR + IDLE),
    case("continuation-large", endless(frame(CONTINUATION, 0, 1, bytes(10000)), frame(HEADERS, 0, 1)), ERROR + LARGE),
    case("continuation-never-ends", says(frame(HEADERS, 0, 1, block([(":status", "200")]))), TIMEOUT),
    case("huge-list", says(frame(HEADERS, END_STREAM, 1, block([(":status", "200")] + [("x", "y" * 7000)] * 2)) +
                           frame(CONTINUATION, END_HEADERS, 1, block([("x", "y" * 7000)]))), ERROR + LARGE),
    case("many-fields", says(frames.headers(1, [(":status", "200")] + [("x", "")] * 300)), ERROR + LARGE),
    case("as-many-as-http1-takes", says(frames.headers(1, [(":status", "200")] + [("x", "y")] * 127)), OK),
    case("bomb", bomb, ERROR + LARGE),
    case("another-block-between", says(frame(HEADERS, 0, 1, b"\x88"), frame(PING, 0, 0, bytes(8))),
         ERROR + wrong("CONTINUATION out of its place")),
    # Malformed.
    case("no-status", says(frames.headers(1, [("x", "y")])),
         ERROR + wrong("no status, or one that is no number of three digits")),
    case("a-line-in-a-value", says(frames.headers(1, [(":status", "200"), ("x", "a\r\nb: c")])),
         ERROR + wrong("a character that a value must not have")),
    case("connection", says(frames.headers(1, [(":status", "200"), ("connection", "close")])),
         ERROR + wrong("a field of HTTP/1 connections")),
    case("longer-than-its-length", says(answer(200, [("content-length", "1")], b"ab")),
         RSP + wrong("a body that is not as long as its length"), BODY),
    case("shorter-than-its-length", says(answer(200, [("content-length", "3")], b"ab")),
         RSP + wrong("a body that is not as long as its length"), BODY),
    case("frame-too-long", says(frame(DATA, 0, 1, bytes(16385))),
         ERROR + wrong("a frame longer than allowed", "FRAME_SIZE_ERROR")),
    case("ping-too-short", says(frame(PING, 0, 0, b"1")),
         ERROR + wrong("a frame that is too short", "FRAME_SIZE_ERROR")),
    case("setting-of-no-value", says(settings((frames.ENABLE_PUSH, 1))),
         ERROR + wrong("a setting with a value that it must not have")),
    case("push", says(frame(frames.PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 2))),
         ERROR + wrong("PUSH_PROMISE")),
    case("another-stream", says(frames.headers(3, [(":status", "200")])), ERROR + wrong("a stream that nobody opened")),
    case("second-head", says(HEAD, HEAD), RSP + wrong("malformed trailers"), BODY),
    case("data-first", says(frame(DATA, END_STREAM, 1, b"x")), ERROR + wrong("DATA in front of HEADERS")),
    case("rubbish", lambda p: (p.request(b""), p.send(b"\xff" * 100)),
         ERROR + '"the server does not speak HTTP/2"'),
    case("greeting", lambda p: p.send(b"220 mail.example.com ESMTP\r\n"), ERROR + '"the server does not speak HTTP/2"'),
    case("goaway-first", lambda p: (p.preface(), p.send(frame(GOAWAY, 0, 0, bytes(8)))),
         ERROR + '"the server does not speak HTTP/2"'),
    # It takes nothing, or says nothing.
    case("never-reads", lambda p: p.sock.recv(1) and threading.Event().wait(20), TIMEOUT),
    case("only-settings", lambda p: p.request(), TIMEOUT),
    case("no-settings", lambda p: p.request(b""), TIMEOUT),
] + [case("closes-at-%d" % n, closes_at(n), wanted, BODY) for n, wanted in STEPS]

if __name__ == "__main__":
    sys.exit(main(CASES, 20000))
