# SPDX-License-Identifier: BSD-2-Clause
"""
The test of httpclient.sh: a server that says nothing, or breaks off.
"""

import socket
import threading

from origin import serve_each
from service import Service, check, connect, finish, until

service = Service()
asked, left = threading.Semaphore(0), threading.Semaphore(0)


OK = b"HTTP/1.1 200 OK\r\n"
LENGTH, CHUNKS = b"Content-Length: 10\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "/whole": OK + LENGTH + b"hellohello", "/chunks": OK + CHUNKS + b"5\r\nhello\r\n0\r\n\r\n",
    "/length": OK + LENGTH + b"hello", "/chunk": OK + CHUNKS + b"5\r\nhello\r\n", "/head": OK,
}


def serve(s):
    path = s.recv(65536).split()[1].decode()
    if path in ANSWERS:
        s.sendall(ANSWERS[path])
        return
    asked.release()
    try:
        s.recv(1)
    finally:
        left.release()


def shows(path, end):
    said = service.ask(f"expert-mode on; httpclient GET http://{service.args.back}{path}")
    check(f"{path}: {end!r}", said.endswith(end), said)
    return said


def ends_with_its_client(halves):
    s = connect(service.args.stats)
    s.sendall(f"expert-mode on; set timeout cli 1s; httpclient GET http://{service.args.back}/\n".encode())
    until("a server that says nothing is asked", lambda: asked.acquire(timeout=1))
    if halves:
        s.shutdown(socket.SHUT_WR)
        service.ask("show info")  # that is seen before this
    s.close()
    until("it ends with its client", lambda: left.acquire(timeout=1))


MISSING = "\nhello\nThe rest of the answer has not come from the server: it ends the connection in the middle, or its " \
          "answer is no HTTP."
serve_each(service.args.back, serve)
head = shows("/whole", "\nhellohello")
check("the head of an answer", head.lstrip("\n").startswith("HTTP/1.1 200 OK\nContent-Length: 10\r\n\r\n"), head)
shows("/chunks", "\nhello")
shows("/length", MISSING)
shows("/chunk", MISSING)
shows("/head", "</html>")
ends_with_its_client(halves=False)
ends_with_its_client(halves=True)
finish()
