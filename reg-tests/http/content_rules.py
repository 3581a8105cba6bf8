# SPDX-License-Identifier: BSD-2-Clause
"""The clients of content_rules.sh."""

import socket
import sys
import threading
import zlib

from http1 import Reader, chunks_of
from service import address, check, connect, finish

front, back, counts, silent = (f"127.0.0.1:{port}" for port in sys.argv[1:])
listener = socket.create_server(address(back))
body = bytes(i * 7 & 255 for i in range(100000))


def exchange(target, fields, sent, answer):
    """What the server gets, and what the client does."""
    client = connect(front)
    head = b"POST " + target + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + fields
    sender = threading.Thread(target=client.sendall, args=(head + b"\r\n" + sent,), daemon=True)
    sender.start()
    server, _ = listener.accept()
    server.settimeout(50)
    _, asked = Reader(server).message() or (None, None)
    sender.join()
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + answer)
    head, got = Reader(client).message() or (b"", None)
    server.close()
    return asked, zlib.decompress(got, 31) if b"gzip" in head else got


def head_of(s):
    return (Reader(s).head() or b"closed") + b"\r\n"


gzip = b"Accept-Encoding: gzip\r\n"
plain = b"Content-Length: 100000\r\n"
coded = b"Transfer-Encoding: chunked\r\n"
for target, fields, sent in (
    (b"/", plain, body),
    (b"/", coded, chunks_of(body, 30000)),
    (b"/", coded, chunks_of(body, 1000)),
    (b"/wait", coded, chunks_of(body, 1000)),
):
    for more, answer in (
        (b"", plain + b"\r\n" + body),
        (gzip, plain + b"\r\n" + body),
        (gzip, coded + b"\r\n" + chunks_of(body, 1000)),
    ):
        try:
            asked, got = exchange(target, fields + more, sent, answer)
        except (ValueError, OSError, zlib.error) as e:
            asked, got = None, e
        what = b"%b, %b: %b" % (target, fields + more, answer[:19])
        check(what.decode().replace("\r\n", " "), asked == body and got == body)

s = connect(counts)
s.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
s.sendall(b"x" * 60)
check("rules see the head, and what they wait for of the body", b"\r\nlen: 109\r\n" in head_of(s))
s = connect(counts)
s.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n")
check("a malformed body is an error", b" 400 " in head_of(s))
s = connect(counts)
s.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
s.sendall(b"5\r\nabc")
s.sendall(b"dex\n")
check("so is one that becomes malformed", b" 400 " in head_of(s))

s = connect(silent)
s.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
s.sendall(b"12345")
r = Reader(s)
check("an answer to a part of a body", b" 200 " in r.head())
check("a client that is silent from there on is left", r.rest() == b"")
finish()
