# SPDX-License-Identifier: BSD-2-Clause
"""Sends ClientHellos that no client would send, and says what became of each connection: the alert
that came back, or that it was closed. Usage: hostile.py PORT"""
import os
import socket
import struct
import sys

ALERTS = {10: "unexpected_message", 22: "record_overflow", 40: "handshake_failure", 47: "illegal_parameter",
          50: "decode_error", 70: "protocol_version", 80: "internal_error", 112: "unrecognized_name"}


def record(kind, data, version=0x0301):
    return struct.pack(">BHH", kind, version, len(data)) + data


def hello(extensions, ciphers=b"\x13\x01\xc0\x2f\xc0\x2b"):
    body = b"\x03\x03" + os.urandom(32) + b"\0" + struct.pack(">H", len(ciphers)) + ciphers + b"\1\0"
    body += struct.pack(">H", len(extensions)) + extensions
    return b"\1" + struct.pack(">I", len(body))[1:] + body


def extension(kind, data):
    return struct.pack(">HH", kind, len(data)) + data


def name(text, declared=None):
    entry = b"\0" + struct.pack(">H", len(text) if declared is None else declared) + text
    return extension(0, struct.pack(">H", len(entry)) + entry)


def outcome(port, pieces):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
        data = b""
        try:
            for piece in pieces:
                s.sendall(piece)
            while len(data) < 100:
                got = s.recv(4096)
                if not got:
                    break
                data += got
        except ConnectionError:
            pass
    while len(data) >= 5:
        kind, _, size = struct.unpack(">BHH", data[:5])
        if kind == 21 and size == 2:
            return ALERTS.get(data[6], "alert %d" % data[6])
        if kind == 22:
            return "hello"
        data = data[5 + size:]
    return "closed"


def in_records(data, size):
    return [record(22, data[i:i + size]) for i in range(0, len(data), size)]


def main():
    port = int(sys.argv[1])
    groups = extension(10, b"\0\4\0\x17\0\x18") + extension(13, b"\0\6\4\3\4\1\x08\4")
    good = name(b"www.example.com") + groups
    padding = extension(21, b"\0" * 12000)
    tries = [
        ("good", [record(22, hello(good))]),
        ("good, a byte a record", in_records(hello(good), 1)),
        ("good, 24 kB in small records", in_records(hello(good + padding + extension(0xfefe, b"x" * 12000)), 700)),
        ("a hello of 16 MB is announced", [record(22, b"\1\xff\xff\xff" + b"x" * 1000)]),
        ("a record longer than 16 kB", [struct.pack(">BHH", 22, 0x0301, 0xffff) + b"x" * 20000]),
        ("a name longer than its extension", [record(22, hello(name(b"www.example.com", 200) + groups))]),
        ("a name with a NUL", [record(22, hello(name(b"www\0.example.com") + groups))]),
        ("a name of 300 letters", [record(22, hello(name(b"a" * 300) + groups))]),
        ("plain HTTP", [b"GET / HTTP/1.0\r\n\r\n"]),
        ("no ciphers", [record(22, hello(good, b""))]),
        ("data in the place of a hello", [record(23, b"x" * 100)]),
    ]
    for what, pieces in tries:
        print("%s: %s" % (what, outcome(port, pieces)))


main()
