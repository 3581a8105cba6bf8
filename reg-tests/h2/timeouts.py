# SPDX-License-Identifier: BSD-2-Clause
"""What timeouts.sh describes, against a server that answers when it is told to."""

import threading

import frames
from http1 import Reader
from origin import serve_each
from service import Service, check, finish, until

service = Service("short", "waits")
args = service.args
waiting = {}  # path -> the connection over which it was asked for
changed, over = threading.Condition(), threading.Event()


def serve(s):
    head = Reader(s).head()
    if head is None:
        return
    with changed:
        waiting[head.split()[1].decode()] = s
        changed.notify_all()
    over.wait()  # the test closes it


def asked(path):
    """The server's connection for that request, as soon as it has come."""
    with changed:
        check(f"{path} reaches the server", changed.wait_for(lambda: path in waiting, 60))
        return waiting.pop(path)


def begins(client, path):
    """A request of which the server has sent the head and half of the body."""
    stream = client.open(frames.request(path))
    server = asked(path)
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    return stream, server


def goes_on(client, begun):
    stream, server = begun
    server.sendall(b"world")
    check("the other stream goes on", client.ends(stream) == (200, b"helloworld"))


def logged(line):
    until(f"the log says {line}", lambda: service.logged(line) == 1)


def ends(client, path, status, code):
    stream = client.open(frames.request(path))
    end = client.ends(stream)
    check(f"{path}: {end and end[0]}", bool(end) and end[0] == status)
    logged("{%d %s %s}" % (status, code, path))


def timeouts_of_servers():
    client = frames.Client(args.front)
    other = begins(client, "/other")
    ends(client, "/slow", 504, "sH")
    asked("/slow").close()
    taken = client.open(frames.request("/full/1"))
    server = asked("/full/1")
    ends(client, "/full/2", 503, "sQ")
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    check("who has the place is served", client.ends(taken) == (200, b"ok"))
    ends(client, "/refused", 503, "SC")
    ends(client, "/tarpit", 429, "PT")
    goes_on(client, other)
    client.close()


def timeout_of_a_server_within_an_answer():
    """The stream is reset; nobody can take what was sent for the whole."""
    client = frames.Client(args.front)
    other = begins(client, "/other/2")
    stream = client.open(frames.request("/slow"))
    server = asked("/slow")
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    end = client.ends(stream)
    check(f"an answer that stops: {end}", bool(end) and end[0] == "reset")
    logged("{200 sD /slow}")
    goes_on(client, other)
    client.close()


def a_client_that_stops():
    """In the middle of a body that the server waits for."""
    client = frames.Client(args.short)
    stream = client.open(frames.request("/body", "POST", extra=[("content-length", "10")]), False,
                         frames.frame(frames.DATA, 0, 1, b"hello"))
    asked("/body")
    end = client.ends(stream)
    check(f"a body that stops: {end}", bool(end) and end[0] in (408, "reset"))
    until("the log says cD or cH", lambda: service.logged(" cD /body}") + service.logged(" cH /body}"))
    check("the connection goes on", client.ping() or client.over)
    client.close()


def a_request_that_stops():
    """Where the body is waited for before a server is chosen."""
    client = frames.Client(args.waits)
    stream = client.open(frames.request("/waits", "POST", extra=[("content-length", "10")]), False,
                         frames.frame(frames.DATA, 0, 1, b"hello"))
    end = client.ends(stream)
    check(f"a request that stops: {end and end[0]}", bool(end) and end[0] == 408)
    logged("{408 cR /waits}")
    check("the connection goes: " + str(client.goaway()), client.over)


def an_idle_connection():
    client = frames.Client(args.waits)
    stream, server = begins(client, "/once")
    server.sendall(b"world")
    check("a request", client.ends(stream) == (200, b"helloworld"))
    check("GOAWAY behind it", client.goaway() == frames.NO_ERROR)


serve_each(args.back, serve)
timeouts_of_servers()
timeout_of_a_server_within_an_answer()
a_client_that_stops()
a_request_that_stops()
an_idle_connection()
finish()
