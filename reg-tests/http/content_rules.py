# SPDX-License-Identifier: BSD-2-Clause
"""The clients of content_rules.sh."""

import re
import socket
import sys
import threading
import zlib

from coding import chunked

front, back, counts, silent = map(int, sys.argv[1:])
listener = socket.create_server(("127.0.0.1", back))
body = bytes(i * 7 & 255 for i in range(100000))
bad = 0


def check(what, ok):
    global bad
    print("ok     " if ok else "FAILED ", what)
    bad += not ok


def connect(port, *pieces):
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(50)
    for piece in pieces:
        s.sendall(piece)
    return s


def read_head(s):
    got = b""
    while b"\r\n\r\n" not in got:
        got += s.recv(1) or sys.exit("FAILED  closed: %r" % got)
    return got


def read_body(s, head):
    """The payload, its coding taken off."""
    f = s.makefile("rb")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    if length:
        return f.read(int(length[1]))
    got = b""
    while size := int(f.readline(), 16):
        got += f.read(size)
        f.readline()
    return got


def exchange(target, fields, sent, answer):
    """What the server gets, and what the client does."""
    client = connect(front)
    head = b"POST " + target + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + fields
    sender = threading.Thread(target=client.sendall, args=(head + b"\r\n" + sent,), daemon=True)
    sender.start()
    server, _ = listener.accept()
    server.settimeout(50)
    asked = read_body(server, read_head(server))
    sender.join()
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + answer)
    head = read_head(client)
    got = read_body(client, head)
    server.close()
    return asked, zlib.decompress(got, 31) if b"gzip" in head else got


gzip = b"Accept-Encoding: gzip\r\n"
plain = b"Content-Length: 100000\r\n"
coded = b"Transfer-Encoding: chunked\r\n"
for target, fields, sent in (
    (b"/", plain, body),
    (b"/", coded, chunked(body, 30000)),
    (b"/", coded, chunked(body, 1000)),
    (b"/wait", coded, chunked(body, 1000)),
):
    for more, answer in (
        (b"", plain + b"\r\n" + body),
        (gzip, plain + b"\r\n" + body),
        (gzip, coded + b"\r\n" + chunked(body, 1000)),
    ):
        try:
            asked, got = exchange(target, fields + more, sent, answer)
        except (ValueError, OSError, zlib.error) as e:
            asked, got = None, e
        what = b"%b, %b: %b" % (target, fields + more, answer[:19])
        check(what.decode().replace("\r\n", " "), asked == body and got == body)

s = connect(counts, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
s.sendall(b"x" * 60)
check("rules see the head, and what they wait for of the body", b"\r\nlen: 109\r\n" in read_head(s))
s = connect(counts, b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
check("a malformed body is an error", b" 400 " in read_head(s))
s = connect(counts, b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
s.sendall(b"5\r\nabc")
s.sendall(b"dex\n")
check("so is one that becomes malformed", b" 400 " in read_head(s))

s = connect(silent, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", b"12345")
check("an answer to a part of a body", b" 200 " in read_head(s))
check("a client that is silent from there on is left", s.recv(1) == b"")
sys.exit(bad != 0)
