# SPDX-License-Identifier: BSD-2-Clause
"""The clients of full_head.sh."""

import socket
import sys

from http1 import Reader
from service import check, connect, finish

front, back = map(int, sys.argv[1:])
size = 16384
listener = socket.create_server(("127.0.0.1", back))
listener.settimeout(50)


def head_of(first, length):
    return first + b"X: " + b"y" * (length - len(first) - 7) + b"\r\n\r\n"


def exchange(request, answer, close):
    client = connect(f"127.0.0.1:{front}")
    client.sendall(request)
    server, _ = listener.accept()
    server.settimeout(50)
    r = Reader(server)
    r.head()
    asked = r.chunks()[0] if b"chunked" in request else b""
    server.sendall(answer)
    if close:
        server.close()
    r = Reader(client)
    return asked, r.head()[:15], r.chunks()[0]


def judge(what, request, answer, close, wanted):
    try:
        got = exchange(request, answer, close)
    except (OSError, TypeError, ValueError) as e:  # it is cut, or no chunk
        got = repr(e)
    if got != wanted:
        check(what, False, got)


get = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
ok = b"HTTP/1.1 200 OK"
coded = b"Transfer-Encoding: chunked\r\n"
chunks = b"5\r\nhello\r\n0\r\n\r\n"
for left in range(0, 26):
    answer = head_of(b"HTTP/1.1 200 OK\r\n" + coded, size - left) + chunks
    judge("a response as it comes, %d bytes left" % left, get, answer, False, (b"", ok, b"hello"))
    request = head_of(b"POST / HTTP/1.1\r\nHost: a\r\n" + coded, size - left) + chunks
    answer = head_of(b"HTTP/1.1 200 OK\r\n" + coded, 100) + chunks
    judge("a request, %d bytes left" % left, request, answer, False, (b"hello", ok, b"hello"))
# It gets "transfer-encoding: chunked" on its way, and chunks.
for left in range(28, 60):
    for body in b"", b"hello":
        answer = head_of(b"HTTP/1.0 200 OK\r\n", size - left) + body
        what = "a response that is put into chunks, %d bytes left, %r" % (left - 28, body)
        judge(what, get, answer, True, (b"", ok, body))
finish()
