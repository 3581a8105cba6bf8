# SPDX-License-Identifier: BSD-2-Clause
"""The two tests of websocket.sh. Behind stands a server that says what it was asked, and then gives
back what it receives, in capitals."""

import base64
import hashlib
import re
import struct

from frames import (CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PROTOCOL_ERROR,
                    RST_STREAM, SETTINGS, Client, block, frame, read_block, request)
from http1 import Reader
from origin import serve_each
from service import Service, check, finish

service = Service("test")
asked = []
SWITCHING = (b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             b"Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: chat\r\n\r\n")


def accept_of(head):
    """RFC 6455 4.2.2"""
    key = re.search(rb"sec-websocket-key: (.*)\r\n", head, re.I)
    return base64.b64encode(hashlib.sha1(key[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())


def answered(conn):
    head = Reader(conn).head()
    if head is None:
        return
    head += b"\r\n\r\n"
    asked.append(head.decode().split("\r\n")[:-2])
    if b" /no " in head:
        conn.sendall(b"HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    elif b" /fine " in head:
        conn.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    else:
        conn.sendall(SWITCHING % accept_of(head) if head.startswith(b"GET") else b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            got = conn.recv(65536)
            if not got or got == b"bye":
                break
            conn.sendall(got.upper())


def extended(path="/chat"):
    return request(path, "CONNECT", extra=[("sec-websocket-version", "13")])[:4] + [
        (":protocol", "websocket"), ("sec-websocket-version", "13")]


def answer(c, stream):
    f = c.wait(lambda f: f.stream == stream and f.kind in (HEADERS, RST_STREAM))
    return dict(read_block(f.payload)) if f.kind == HEADERS else f.code


def talks(c, stream, what):
    c.send(frame(DATA, 0, stream, b"hello"))
    c.wait(lambda f: len(c.body(stream)) >= 5)
    c.send(frame(DATA, 0, stream, b" world" * 1000))
    c.wait(lambda f: len(c.body(stream)) >= 6005)
    check(f"{what}: bytes pass both ways", c.body(stream) == b"HELLO" + b" WORLD" * 1000)


def ended(c, stream):
    return bool(c.wait(lambda f: f.stream == stream and f.kind == DATA and f.flags & END_STREAM))


def offered():
    c = Client(service.args.front)
    told = c.wait(lambda f: f.kind == SETTINGS).payload
    check("SETTINGS_ENABLE_CONNECT_PROTOCOL", struct.pack(">HI", 8, 1) in told)
    stream = c.open(extended(), end=False)
    got = answer(c, stream)
    check(f"200: {got}", got[":status"] == "200" and got["sec-websocket-protocol"] == "chat")
    check("nothing of the handshake", not {"upgrade", "connection", "sec-websocket-accept"} & set(got))
    fields = dict(line.lower().split(": ", 1) for line in asked[0][1:])
    check(f"the server is asked in HTTP/1.1: {asked[0]}", asked[0][0] == "GET /chat HTTP/1.1" and
          fields["upgrade"] == "websocket" and fields["connection"] == "upgrade")
    key = [line.split(": ")[1] for line in asked[0] if line.lower().startswith("sec-websocket-key")]
    check("with one key of 16 bytes", len(key) == 1 and len(base64.b64decode(key[0])) == 16)
    talks(c, stream, "WebSocket")
    other = c.open(extended(), end=False)
    answer(c, other)
    keys = [line for head in asked for line in head if line.lower().startswith("sec-websocket-key")]
    check("each has its own key", len(set(keys)) == 2)
    c.send(frame(DATA, END_STREAM, stream, b""))
    check("the client ends it", ended(c, stream))
    talks(c, other, "the other one beside it")
    c.send(frame(DATA, 0, other, b"bye"))
    check("the server ends it", ended(c, other))
    early = c.open(extended(), end=False, more=frame(DATA, 0, c.next, b"early"))
    answer(c, early)
    c.wait(lambda f: len(c.body(early)) >= 5)
    check("what was said before the answer passes, too", c.body(early) == b"EARLY")
    check("a refusal is passed on", answer(c, c.open(extended("/no"), end=False))[":status"] == "403")
    got = answer(c, c.open(extended("/fine"), end=False))
    check(f"200 of a server that did not switch is no success: {got}", got[":status"] == "500")
    tunnel = c.open([(":method", "CONNECT"), (":authority", "x:443")], end=False)
    check("CONNECT", answer(c, tunnel)[":status"] == "200" and asked[-1][0] == "CONNECT x:443 HTTP/1.1")
    talks(c, tunnel, "CONNECT")
    fields = block(request(extra=[("a", "b" * 8000), ("c", "d" * 8000), ("e", "f" * 2000)]))
    large, c.next = c.next, c.next + 2
    c.send(frame(HEADERS, END_STREAM, large, fields[:9000]) +
           frame(CONTINUATION, END_HEADERS, large, fields[9000:]))
    check("fields that are too large", c.ends(large)[0] == 431)
    check("the connection goes on", c.ping())
    c.close()


def withheld():
    c = Client(service.args.front)
    told = c.wait(lambda f: f.kind == SETTINGS).payload
    check("no SETTINGS_ENABLE_CONNECT_PROTOCOL", struct.pack(">HI", 8, 1) not in told)
    check("an extended CONNECT is malformed", answer(c, c.open(extended(), end=False)) == PROTOCOL_ERROR)
    c.close()


serve_each(service.args.back, answered)
{"offered": offered, "withheld": withheld}[service.args.test]()
finish()
