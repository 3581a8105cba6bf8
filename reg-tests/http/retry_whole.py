# SPDX-License-Identifier: BSD-2-Clause
"""The clients of retry_whole.sh."""

import os
import signal
import socket
import struct
import sys
import time

from coding import chunked, read_chunks, read_head

front, back, pid = map(int, sys.argv[1:])
bad = 0
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
listener.bind(("127.0.0.1", back))
listener.listen()
listener.settimeout(50)
answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def check(what, ok):
    global bad
    print("ok     " if ok else "FAILED ", what)
    bad += not ok


def connect():
    s = socket.create_connection(("127.0.0.1", front))
    s.settimeout(50)
    return s


# The first server reads nothing, the second one answers.
body = bytes(65 + i % 26 for i in range(12000))
for framing, sent, read in (
    (b"Content-Length: 12000", body, lambda f: f.read(12000)),
    (b"Transfer-Encoding: chunked", chunked(body, 1000), read_chunks),
):
    client = connect()
    client.sendall(b"POST / HTTP/1.1\r\nHost: a\r\n" + framing + b"\r\n\r\n" + sent)
    first, _ = listener.accept()
    server, _ = listener.accept()
    server.settimeout(50)
    f = server.makefile("rb")
    head = read_head(f)
    try:
        got = read(f)
    except (ValueError, OSError) as e:
        got = e
    server.sendall(answer)
    check(framing.decode(), framing in head and got == body)
    check("its answer", client.recv(1000).endswith(b"ok"))
    server.close()
    first.close()
    client.close()


def stop():
    os.kill(pid, signal.SIGSTOP)
    while open("/proc/%d/stat" % pid).read().rpartition(") ")[2][0] != "T":
        time.sleep(0.01)


# When it goes on both events are there, the client's first.
client = connect()
client.sendall(b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
server, _ = listener.accept()
read_head(server.makefile("rb"))
server.sendall(answer)
check("a first answer", client.recv(1000).endswith(b"ok"))
stop()
client.sendall(b"GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
server.close()
os.kill(pid, signal.SIGCONT)
server, _ = listener.accept()
server.settimeout(50)
try:
    check("the whole request again", read_head(server.makefile("rb")).startswith(b"GET /2 "))
except OSError as e:
    check("the whole request again: %s" % e, False)
server.sendall(answer)
check("its answer", client.recv(1000).endswith(b"ok"))
sys.exit(bad != 0)
