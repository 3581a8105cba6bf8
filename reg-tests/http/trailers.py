# SPDX-License-Identifier: BSD-2-Clause
"""What trailers.sh describes."""

import socket
import sys

from http1 import Reader
from origin import serve_each
from service import check, finish

front, back = int(sys.argv[1]), int(sys.argv[2])
LONG = b"X-Long: " + b"x" * 2000 + b"\r\n"
FEW, MANY = (b"".join(b"X-%d: v\r\n" % i for i in range(n)) for n in (100, 101))
FRAMING = b"content-LENGTH: 0\r\nX-T: v\r\nTransfer-Encoding: gzip\r\nX-U: w\r\nHost: b\r\n"
seen = []


def read_chunked(sock, data):
    while not data.endswith(b"\r\n\r\n") or b"\r\n0\r\n" not in data[data.index(b"\r\n\r\n"):]:
        piece = sock.recv(65536)
        if not piece:
            break
        data += piece
    return data


def serve(sock):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    reader = Reader(sock)
    while (head := reader.head()) is not None:
        head += b"\r\n\r\n"
        if b"chunked" in head:
            head = read_chunked(sock, head + reader.exactly(len(reader.held)))
        seen.append(head)
        path = head.split()[1]
        trailer = {b"/long": LONG, b"/none": b"", b"/few": FEW, b"/many": MANY, b"/alone": b"Content-Length: 0\r\n",
                   b"/framing": FRAMING, b"/slow": FRAMING}.get(
            path, b"X-T: v\r\nX-U: w\r\n")
        answer = (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
                  b"5\r\nhello\r\n0\r\n" + trailer + b"\r\n")
        size = 1 if path == b"/slow" else len(answer)
        for at in range(0, len(answer), size):
            sock.sendall(answer[at:at + size])


serve_each(f"127.0.0.1:{back}", serve)
client = socket.create_connection(("127.0.0.1", front))
client.settimeout(20)


def ask(text):
    client.sendall(text)
    return read_chunked(client, b"")


GZIP = b"Host: a\r\nAccept-Encoding: gzip\r\n\r\n"
got = ask(b"GET / HTTP/1.1\r\n" + GZIP)
check("behind a compressed response", b"gzip" in got and got.endswith(b"\r\n0\r\nX-T: v\r\nX-U: w\r\n\r\n"), got)
got = ask(b"GET /none HTTP/1.1\r\n" + GZIP)
check("none behind the next one", b"gzip" in got and got.endswith(b"\r\n0\r\n\r\n"), got)
got = ask(b"GET /long HTTP/1.1\r\n" + GZIP)
check("too long: none", b"gzip" in got and got.endswith(b"\r\n0\r\n\r\n"), got[-100:])
POST = b"POST /wait HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
ask(POST + b"X-Req: t\r\n\r\n")
check("behind a request that was waited for", seen[-1].endswith(b"\r\n3\r\nabc\r\n0\r\nX-Req: t\r\n\r\n"), seen[-1])
ask(POST + b"\r\n")
check("none behind the next one", seen[-1].endswith(b"\r\n3\r\nabc\r\n0\r\n\r\n"), seen[-1])
for path in b"framing", b"slow":
    got = ask(b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % path)
    check(f"what frames is dropped: {path}", got.endswith(b"hello\r\n0\r\nX-T: v\r\nX-U: w\r\n\r\n"), got)
    got = ask(b"GET /%s HTTP/1.1\r\n" % path + GZIP)
    check("also behind a compressed response", got.endswith(b"\r\n0\r\nX-T: v\r\nX-U: w\r\n\r\n"), got)
got = ask(b"GET /alone HTTP/1.1\r\nHost: a\r\n\r\n")
check("nothing else was there", got.endswith(b"hello\r\n0\r\n\r\n"), got)
with socket.create_connection(("127.0.0.1", front)) as other:
    other.sendall(POST.replace(b"/wait", b"/") + FRAMING + b"\r\n")
    got = other.recv(65536)
    check("a request is refused", b" 400 " in got[:20], got)
# As many as a head may have fields (tune.http.maxhdr), not one more.
ask(POST.replace(b"/wait", b"/") + FEW + b"\r\n")
check("a request with 100", seen[-1].endswith(b"\r\nX-99: v\r\n\r\n"), seen[-1][-40:])
got = ask(b"GET /few HTTP/1.1\r\nHost: a\r\n\r\n")
check("a response with 100", got.endswith(b"\r\nX-99: v\r\n\r\n"), got[-40:])
for what, request, answer in (("request", POST.replace(b"/wait", b"/") + MANY + b"\r\n", b" 400 "),
                              ("response", b"GET /many HTTP/1.1\r\nHost: a\r\n\r\n", b" 502 ")):
    with socket.create_connection(("127.0.0.1", front)) as other:
        other.settimeout(20)
        other.sendall(request)
        got = other.recv(65536)
        check(f"a {what} with 101", answer in got[:20], got)
client.sendall(b"GET / HTTP/1.0\r\nHost: a\r\n\r\n")
got = b""
while piece := client.recv(65536):
    got += piece
check("no chunks and no trailers for HTTP/1.0", got.endswith(b"\r\n\r\nhello"), got)
finish()
