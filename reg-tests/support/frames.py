# SPDX-License-Identifier: BSD-2-Clause
"""
A client of HTTP/2 that writes frames as it likes (RFC 9113), for tests of what no library would
send. Fields leave as literals, without Huffman code and table; those of penstock come so, too.
"""

import select
import socket
import struct
import time

from http1 import Reader
from service import PATIENCE, connect

(DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE,
 CONTINUATION) = range(10)
PRIORITY_UPDATE = 16
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITIZED = 1, 1, 4, 8, 32
(NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED,
 FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM,
 INADEQUATE_SECURITY, HTTP_1_1_REQUIRED) = range(14)
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = 1, 2, 3, 4
MAX_FRAME_SIZE = 5
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

STATIC = [tuple(entry.split("=", 1)) for entry in (
    ":authority= :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https "
    ":status=200 :status=204 :status=206 :status=304 :status=400 :status=404 :status=500 "
    "accept-charset= accept-encoding=gzip,deflate accept-language= accept-ranges= accept= "
    "access-control-allow-origin= age= allow= authorization= cache-control= content-disposition= "
    "content-encoding= content-language= content-length= content-location= content-range= "
    "content-type= cookie= date= etag= expect= expires= from= host= if-match= if-modified-since= "
    "if-none-match= if-range= if-unmodified-since= last-modified= link= location= max-forwards= "
    "proxy-authenticate= proxy-authorization= range= referer= refresh= retry-after= server= "
    "set-cookie= strict-transport-security= transfer-encoding= user-agent= vary= via= "
    "www-authenticate=").split(" ")]


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(*pairs):
    return frame(SETTINGS, 0, 0, b"".join(struct.pack(">HI", i, v) for i, v in pairs))


def window(stream, by):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", by))


def rst(stream, code=CANCEL):
    return frame(RST_STREAM, 0, stream, struct.pack(">I", code))


def integer(value, bits, first=0):
    """RFC 7541 5.1"""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = [first | most], value - most
    while value >= 128:
        out.append(value % 128 | 128)
        value //= 128
    return bytes(out + [value])


def string(text):
    text = text.encode("latin-1") if isinstance(text, str) else text
    return integer(len(text), 7) + text


def literal(name, value, indexed=False):
    """indexed: it enters the peer's table."""
    return (b"\x40" if indexed else b"\0") + string(name) + string(value)


def block(fields):
    return b"".join(literal(name, value) for name, value in fields)


def request(path="/", method="GET", host="x", extra=()):
    return [(":method", method), (":scheme", "http"), (":path", path), (":authority", host),
            *extra]


def headers(stream, fields=None, end=True, complete=True):
    fields = request() if fields is None else fields
    return frame(HEADERS, (END_STREAM if end else 0) | (END_HEADERS if complete else 0), stream,
                 fields if isinstance(fields, bytes) else block(fields))


def read_integer(data, at, bits):
    most = (1 << bits) - 1
    value, at, shift = data[at] & most, at + 1, 0
    if value == most:
        while True:
            value += (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
    return value, at


def read_string(data, at):
    assert data[at] < 128, "Huffman code"
    length, at = read_integer(data, at, 7)
    return data[at:at + length].decode("latin-1"), at + length


def read_block(data):
    """Of penstock: without a dynamic table."""
    at, fields = 0, []
    while at < len(data):
        if data[at] & 0x80:
            index, at = read_integer(data, at, 7)
            fields.append(STATIC[index - 1])
        elif data[at] & 0xe0 == 0x20:
            _, at = read_integer(data, at, 5)
        else:
            assert not data[at] & 0x40, "a dynamic table"
            index, at = read_integer(data, at, 4)
            name = STATIC[index - 1][0] if index else None
            if not index:
                name, at = read_string(data, at)
            value, at = read_string(data, at)
            fields.append((name, value))
    return fields


class Frame:
    def __init__(self, kind, flags, stream, payload):
        self.kind, self.flags, self.stream, self.payload = kind, flags, stream, payload

    @property
    def code(self):
        """Of RST_STREAM and GOAWAY."""
        return struct.unpack(">I", self.payload[4:8] if self.kind == GOAWAY else self.payload)[0]


def arriving(sock, preface=True):
    """The frames that a peer sends, one by one, for servers. preface: it begins with that."""
    reader = Reader(sock)
    if preface and reader.exactly(len(PREFACE)) is None:
        return
    while head := reader.exactly(9):
        payload = reader.exactly(int.from_bytes(head[:3], "big"))
        if payload is None:
            return
        yield Frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)


class Client:
    """first: what is sent at once, behind the preface. acknowledge: SETTINGS of the peer are."""

    def __init__(self, to, first=None, preface=PREFACE, acknowledge=True, rcvbuf=0, sock=None):
        self.sock = sock or connect(to)
        if rcvbuf:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest, self.over, self.acknowledge = b"", False, acknowledge
        self.next = 1
        self.seen = []  # frames
        self.send(preface + (settings() if first is None else first))

    def send(self, data):
        """False: the peer has gone."""
        try:
            self.sock.sendall(data)
            return True
        except OSError:
            return False

    def open(self, fields=None, end=True, more=b""):
        """A request; its stream."""
        stream, self.next = self.next, self.next + 2
        self.send(headers(stream, fields, end) + more)
        return stream

    def read(self):
        while len(self.rest) >= 9:
            length = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < 9 + length:
                return
            f = Frame(self.rest[3], self.rest[4], int.from_bytes(self.rest[5:9], "big"),
                      self.rest[9:9 + length])
            self.rest = self.rest[9 + length:]
            if f.kind == SETTINGS and not f.flags & ACK and self.acknowledge:
                self.send(frame(SETTINGS, ACK))
            self.seen.append(f)

    def receive(self, seconds=PATIENCE):
        """What comes next; False: nothing more will, or not in that time."""
        if self.over or not select.select([self.sock], [], [], seconds)[0]:
            return False
        try:
            got = self.sock.recv(262144)
        except OSError:
            got = b""
        self.over = not got
        self.rest += got
        self.read()
        return bool(got)

    def wait(self, condition, seconds=PATIENCE):
        """The first frame for which it holds, from the beginning; None: it does not come."""
        at, end = 0, time.monotonic() + seconds
        while True:
            for f in self.seen[at:]:
                if condition(f):
                    return f
            at = len(self.seen)
            if not self.receive(max(0, end - time.monotonic())) and at == len(self.seen):
                return None

    def goaway(self, seconds=PATIENCE):
        """The code of the GOAWAY that ends it; None: there was none."""
        while self.receive(seconds):
            pass
        codes = [f.code for f in self.seen if f.kind == GOAWAY]
        return codes[-1] if codes else None

    def ends(self, stream, seconds=PATIENCE):
        """How the stream ended: its status and body, or ("reset", code); None: it has not."""
        f = self.wait(lambda f: f.stream == stream and (f.kind == RST_STREAM or f.flags & END_STREAM
                                                        and f.kind in (DATA, HEADERS)) or
                      f.kind == GOAWAY and f.code != NO_ERROR, seconds)
        if not f:
            return None
        if f.kind in (RST_STREAM, GOAWAY):
            return ("reset" if f.kind == RST_STREAM else "goaway", f.code)
        return self.status(stream), self.body(stream)

    def status(self, stream):
        for f in self.seen:
            if f.kind == HEADERS and f.stream == stream:
                return int(dict(read_block(f.payload))[":status"])
        return None

    def body(self, stream):
        return b"".join(f.payload for f in self.seen if f.kind == DATA and f.stream == stream)

    def ping(self, seconds=PATIENCE):
        """All before it was looked at; False: the connection has ended."""
        mark = struct.pack(">Q", len(self.seen) + 1)
        self.send(frame(PING, 0, 0, mark))
        return bool(self.wait(lambda f: f.kind == PING and f.flags & ACK and f.payload == mark,
                              seconds))

    def close(self):
        self.sock.close()
