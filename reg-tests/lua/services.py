# SPDX-License-Identifier: BSD-2-Clause
"""Services of scripts: clients that leave at every step, that read nothing, that wait in
numbers."""
import os
import signal
import socket
import threading

from origin import serve_each
from processes import descriptors, stop
from service import Service, check, connect, finish, until
from sockets import ends_by_reset

service = Service(lambda p: (p.add_argument("--bytes"), p.add_argument("--silent", type=int)))
front, plain = service.args.front, service.args.bytes
REQUEST = (b"POST /steps HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n"
           b"the first line\nand the others\n")


def silent_server():
    """Takes connections, and says nothing."""
    serve_each(f"127.0.0.1:{service.args.silent}", lambda s: held.append(s) or threading.Event().wait())


held = []


def asks(path):
    return service.fetch(path).text


def state(query=""):
    return [float(word) for word in asks("/state" + query).split()]


def sessions():
    return service.ask("show sess").count("fe=fe") + service.ask("show sess").count("fe=plain")


def leave(to, request, sent, taken, reset):
    """Sends so much, takes so much, and is gone."""
    s = connect(to)
    s.sendall(request[:sent])
    while taken > 0:
        piece = s.recv(min(taken, 65536))
        if not piece:
            break
        taken -= len(piece)
    if reset:
        ends_by_reset(s)
    s.close()


def gone_clients():
    for reset in (False, True):
        for sent in range(0, len(REQUEST) + 1, 3):
            leave(front, REQUEST, sent, 0, reset)
        for taken in (1, 20, 200, 5000, 100000, 300000, 900000):
            leave(front, REQUEST, len(REQUEST), taken, reset)
            leave(plain, b"a line\n", 7, taken, reset)
        leave(plain, b"half", 4, 0, reset)
    until("no session is left of clients that have gone", lambda: not sessions())


def gone_before():
    """A kept connection asks once more, and is reset before the process looks at it."""
    for body in (b"", b"x" * 5):
        s = connect(front)
        s.sendall(b"GET /state HTTP/1.1\r\nHost: x\r\n\r\n")
        s.recv(1000)
        stop(service.pid)
        s.sendall(b"POST /wait_time HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        ends_by_reset(s)
        s.close()
        os.kill(service.pid, signal.SIGCONT)
        until("no script waits for a client that had gone before", lambda: not sessions())


def slow_client():
    before = state()[0]
    s = connect(front)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
    s.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
    seen = []

    def stands():
        seen.append(state()[0])
        return len(seen) > 20 and seen[-1] == seen[-20]

    until("a script waits for a client that reads nothing", stands)
    check("it was let send %d bytes" % (seen[-1] - before), 0 < seen[-1] - before < 30000000)
    s.recv(1000)
    s.close()
    until("it is over when the client is", lambda: not sessions())


def many_wait():
    """A thousand scripts, and others are answered meanwhile."""
    before = descriptors(service.pid)
    clients = []
    for path in ("/wait_time", "/wait_body", "/wait_socket"):
        for _ in range(334):
            s = connect(front)
            s.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf" % path.encode())
            clients.append(s)
    until("1002 scripts wait", lambda: state()[1] == 1002)
    check("a request is answered meanwhile", asks("/keep") == "kept")
    for s in clients[334:668]:
        s.sendall(b"other!")
    for s in clients[334:668]:
        if not s.recv(4096).startswith(b"HTTP/1.1 200"):
            check("a script that waited for a body goes on", False)
    until("those whose body came are done", lambda: state()[1:3] == [668, 334])
    for s in clients:
        s.close()
    until("the others are over when their clients are", lambda: state()[1:3] == [0, 334])
    until("no session is left", lambda: not sessions())
    until("sockets are closed by the collector",
          lambda: state("?collect") and descriptors(service.pid) <= before + 2)


def kept_objects():
    check("objects of an exchange that is over are refused",
          asks("/use_kept") == " ".join(["false"] * 6))
    check("no header is broken out of", asks("/hostile") == " ".join(["false"] * 6))


silent_server()
gone_clients()
gone_before()
slow_client()
many_wait()
kept_objects()
finish()
