# SPDX-License-Identifier: BSD-2-Clause
"""The clients of retry_whole.sh."""

import os
import signal
import socket
import sys

from http1 import Reader, chunks_of
from processes import stop
from service import check, connect, finish
from sockets import reset

front, back, pid = "127.0.0.1:" + sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
listener.bind(("127.0.0.1", back))
listener.listen()
listener.settimeout(50)
answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


# The first server reads nothing, the second one answers.
body = bytes(65 + i % 26 for i in range(12000))
for framing, sent, read in (
    (b"Content-Length: 12000", body, lambda r: r.exactly(12000)),
    (b"Transfer-Encoding: chunked", chunks_of(body, 1000), lambda r: r.chunks()[0]),
):
    client = connect(front)
    client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\n" + framing + b"\r\n\r\n" + sent)
    first, _ = listener.accept()
    server, _ = listener.accept()
    server.settimeout(50)
    r = Reader(server)
    head = r.head() or b""
    try:
        got = read(r)
    except (OSError, TypeError, ValueError) as e:
        got = e
    server.sendall(answer)
    check(framing.decode(), framing in head and got == body)
    check("its answer", client.recv(1000).endswith(b"ok"))
    server.close()
    first.close()
    client.close()


# When it goes on both events are there, the client's first.
client = connect(front)
client.sendall(b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
server, _ = listener.accept()
Reader(server).head()
server.sendall(answer)
check("a first answer", client.recv(1000).endswith(b"ok"))
stop(pid)
client.sendall(b"GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
reset(server)
os.kill(pid, signal.SIGCONT)
server, _ = listener.accept()
server.settimeout(50)
try:
    check("the whole request again", (Reader(server).head() or b"").startswith(b"GET /2 "))
except OSError as e:
    check("the whole request again: %s" % e, False)
server.sendall(answer)
check("its answer", client.recv(1000).endswith(b"ok"))
finish()
