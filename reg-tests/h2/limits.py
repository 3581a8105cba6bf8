# SPDX-License-Identifier: BSD-2-Clause
"""The three tests of limits.sh."""

import struct
import threading

from frames import (ACK, DATA, ENHANCE_YOUR_CALM, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, GOAWAY,
                    NO_ERROR, PING, REFUSED_STREAM, SETTINGS, Client, block, frame, literal,
                    request)
from origin import Origin
from service import Service, check, finish

service = Service("test")
hold = threading.Event()
origin = Origin(service.args.back, hold)


def told(c):
    payload = c.wait(lambda f: f.kind == SETTINGS).payload
    return dict(struct.unpack(">HI", payload[i:i + 6]) for i in range(0, len(payload), 6))


def says(expected):
    c = Client(service.args.front)
    got = told(c)
    check(f"SETTINGS {got}", got == expected)
    return c


def refused_above(c, limit):
    streams = [c.open() for _ in range(limit + 1)]
    check(f"stream {limit + 1} is refused", c.ends(streams[-1]) == ("reset", REFUSED_STREAM))
    hold.set()
    check(f"the {limit} others are answered",
          all(c.ends(s) == (200, b"hello") for s in streams[:-1]))
    return c


def usual():
    refused_above(says({3: 100, 4: 65535, 8: 1}), 100).close()
    c = says({3: 100, 4: 65535, 8: 1})
    c.send(frame(DATA, 0, 0, b"x" * 16385)[:9])
    check("a frame above 16,384 bytes ends it", c.goaway() == FRAME_SIZE_ERROR)


def both():
    c = says({1: 8192, 3: 7, 4: 10000, 5: 20000, 8: 1})
    c.ping()
    name = c.open(block(request()) + literal("a", "b" * 6000))
    hold.clear()
    refused_above(c, 6)  # one waits already
    check("a field in a frame of 19,000 bytes",
          c.ends(c.open(request(extra=[("a", "b" * 18900)]))) == (200, b"hello"))
    check("a table of 8,192 bytes: its size is announced first",
          c.ends(c.open(b"\x3f\xe1\x3f" + block(request()) + literal("a", "b" * 6000, True)))
          == (200, b"hello"))
    check("a field of 6,000 bytes by one byte",
          c.ends(c.open(block(request()) + b"\xbe")) == (200, b"hello"))
    check("the first", c.ends(name) == (200, b"hello"))
    hold.clear()
    stream = c.open(request(method="POST"), False)
    c.send(frame(DATA, 0, stream, b"x" * 10001))
    check("10,001 bytes of a body", c.ends(stream) == ("reset", FLOW_CONTROL_ERROR))
    hold.set()
    c.close()


def glitches():
    c = Client(service.args.front)
    for _ in range(14):
        c.send(frame(PING, ACK, 0, b"12345678"))
    check("14 oddities are borne", c.ping())
    c.send(frame(PING, ACK, 0, b"12345678"))  # three quarters
    check("no more requests", c.wait(lambda f: f.kind == GOAWAY).code == NO_ERROR)
    c = Client(service.args.front)
    hold.clear()
    stream = c.open()
    for _ in range(20):
        c.send(frame(PING, ACK, 0, b"12345678"))
    check("20 are not", c.goaway() == ENHANCE_YOUR_CALM)
    hold.set()


def total():
    c = Client(service.args.front)
    hold.set()
    for i in range(4):
        c.ends(c.open())
    check("no GOAWAY behind the fourth", c.ping() and
          not [f for f in c.seen if f.kind == GOAWAY])
    check("the fifth is answered", c.ends(c.open()) == (200, b"hello"))
    check("GOAWAY, and the end", c.goaway() == NO_ERROR and
          [f.payload[:4] for f in c.seen if f.kind == GOAWAY] == [struct.pack(">I", 9)])


def front():
    c = says({1: 1024, 3: 3, 4: 40000, 8: 1})
    c.ping()
    refused_above(c, 3).close()
    total()
    glitches()


{"usual": usual, "both": both, "front": front}[service.args.test]()
finish()
