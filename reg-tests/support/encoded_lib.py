# SPDX-License-Identifier: BSD-2-Clause
"""
Judges of encoded log lines: JSON as strictly as RFC 8259 has it, CBOR as RFC 8949 has it, and
sockets that collect lines. A line is what one datagram brings.
"""
import json
import os
import socket


def unique(pairs):
    assert len({name for name, _ in pairs}) == len(pairs), "a name stands there twice"
    return dict(pairs)


def refuse(word):
    raise ValueError("%s is no JSON" % word)


def strict_json(line):
    line = line.rstrip(b"\n")
    assert all(c >= 32 and c != 127 for c in line), "a control character"
    return json.loads(line.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)


class Cbor:
    """What log lines have of it: maps without a length, integers, strings, false, true, null."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data), "it ends too early"
        self.at += n
        return self.data[self.at - n:self.at]

    def value(self):
        head = self.take(1)[0]
        major, more = head >> 5, head & 31
        if head == 0xbf:
            pairs = []
            while self.data[self.at] != 0xff:
                name = self.value()
                assert isinstance(name, str)
                pairs.append((name, self.value()))
            self.at += 1
            return unique(pairs)
        if major == 7:
            return {20: False, 21: True, 22: None}[more]
        if more >= 24:
            length = {24: 1, 25: 2, 26: 4, 27: 8}[more]
            number = int.from_bytes(self.take(length), "big")
            assert number >= (24 if length == 1 else 1 << 4 * length), "not the shortest head"
        else:
            number = more
        if major == 0:
            return number
        if major == 1:
            return -1 - number
        if major == 2:
            return self.take(number)
        assert major == 3, "major type %u" % major
        return self.take(number).decode("utf-8")


def strict_cbor(data):
    c = Cbor(data)
    value = c.value()
    assert c.at == len(data), "something stands behind it"
    try:
        import cbor2
        assert cbor2.loads(data) == value
    except ImportError:
        pass
    return value


def shown(raw):
    """What bytes are in a line: UTF-8, or else characters of Latin-1, byte by byte."""
    text = ""
    while raw:
        for n in range(1, 5):
            try:
                text += raw[:n].decode("utf-8")
                raw = raw[n:]
                break
            except UnicodeDecodeError:
                continue
        else:
            text += raw[:1].decode("latin-1")
            raw = raw[1:]
    return text


class Collector:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        if os.path.exists(path):
            os.unlink(path)
        self.socket.bind(path)
        self.socket.settimeout(60)

    def line(self):
        return self.socket.recv(1 << 17)
