# SPDX-License-Identifier: BSD-2-Clause
"""Clients of HTTP/1, servers of HTTP/2: run by servers.sh."""

import http.client
import re
import socket
import threading

from h2.errors import ErrorCodes

from h2_server import H2Server, body_of
from service import PATIENCE, Service, address, check, connect, finish, read_all, until

svc = Service("few")
server = H2Server(address(svc.args.back)[1])
few = H2Server(address(svc.args.few)[1], settings=2)


def ask(path, method="GET", body=None, headers={}, keep=None):
    c = keep or http.client.HTTPConnection(svc.args.front, timeout=PATIENCE)
    c.request(method, path, body, headers)
    r = c.getresponse()
    data = r.read()
    if not keep:
        c.close()
    return r, data


def raw(request):
    with connect(svc.args.front) as s:
        s.sendall(request)
        return read_all(s)


def messages():
    for n in 0, 1, 16384, 65535, 65536, 3000001:
        r, data = ask(f"/n/{n}")
        check(f"{n} bytes", r.status == 200 and data == body_of(n))
        check(f"... and as many of unknown length", ask(f"/unknown/{n}")[1] == body_of(n))
        check(f"... and back", ask("/echo", "POST", body_of(n))[1] == body_of(n))
    pieces = [body_of(n) for n in (1, 70000, 9, 300000)]
    check("a body in chunks", ask("/echo", "POST", iter(pieces))[1] == b"".join(pieces))
    r, data = ask("/n/77", "HEAD")
    check("HEAD", r.status == 200 and r.getheader("content-length") == "77" and data == b"")
    for status in 204, 304:
        check(f"{status}", ask(f"/status/{status}")[0].status == status)
    got = raw(b"GET /interim HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    check("an interim response", got.startswith(b"HTTP/1.1 103 ") and b"link: </a.css>" in got
          and b"\r\n\r\nHTTP/1.1 200 " in got and got.endswith(b"behind"))
    got = raw(b"GET /trailers HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: close, te\r\n\r\n")
    check("trailers of a response", got.endswith(b"4\r\nbody\r\n0\r\nx-t: v\r\nx-u: w\r\n\r\n"))
    got = raw(b"POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
              b"3\r\nabc\r\n0\r\nX-A: 1\r\n\r\n")
    check("trailers of a request", b"x-trailer-x-a: 1\r\n" in got and got.endswith(b"abc"))
    r, data = ask("/n/5", headers={"Host": "example.org", "X-Some": "a", "Connection": "x-gone",
                                   "X-Gone": "b", "Upgrade": "h2c"})
    asked = server.asked[-1].headers
    check("the head", asked[b":authority"] == b"example.org" and asked[b":scheme"] == b"http" and
          asked[b"x-some"] == b"a" and not {b"host", b"connection", b"x-gone", b"upgrade"} & set(asked))
    r, data = ask("/n/9", headers={"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c",
                                   "HTTP2-Settings": "AAMAAABkAAQAAP__"})
    check("an upgrade that is none", r.status == 200 and data == body_of(9))
    r, data = ask("/n/9", headers={
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="})
    check("WebSocket is not for such a server", r.status == 502)
    check("all of it over one connection", len(server.connections) == 1)


def was_cut(path):
    """Such a client sees that the connection ends before the body does, by its length or chunks."""
    got = b""
    with connect(svc.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        try:
            while data := s.recv(65536):
                got += data
        except ConnectionResetError:
            pass
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    if length:
        return len(body) < int(length[1])
    return b"chunked" in head.lower() and not body.endswith(b"0\r\n\r\n")


def at_once(n, path, of=server, before=lambda: None):
    """n clients that are answered at once, when they all have asked."""
    got = []
    threads = [threading.Thread(target=lambda: got.append(ask(path)[1])) for _ in range(n)]
    for t in threads:
        t.start()
    until(f"{n} requests of {path} are at the server", lambda: len(of.held) == n)
    before()
    of.release()
    for t in threads:
        t.join()
    return got


def streams():
    check("answers to all", at_once(30, "/hold") == [b"held"] * 30)
    check("they were on one connection", len(server.connections) == 1 and server.connections[0].most == 30)
    check("more than it takes at once: others are made", at_once(7, "/few/hold", few) == [b"held"] * 7)
    check("two streams on each, at most", {c.most for c in few.connections} <= {1, 2} and
          len(few.connections) >= 4)


def broken():
    def others():
        check("a body that is broken off is cut", was_cut("/reset/50000"))
        check("without an answer, 502", ask("/break")[0].status == 502)
        check("what was refused is asked again", ask("/refuse")[1] == b"at last")
        with connect(svc.args.front) as s:
            s.sendall(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            until("one more waits", lambda: len(server.held) == 4)
        until("whose client leaves: it is cancelled", lambda: any(
            ErrorCodes.CANCEL == code for c in server.connections for _, code in c.reset))

    check("others go on meanwhile", at_once(3, "/hold", before=others) == [b"held"] * 3)
    check("over as many connections as there have to be", len(server.connections) == 2)
    server.connections[1].sock.shutdown(socket.SHUT_RDWR)
    until("an idle one that the server closes is forgotten", lambda: server.connections[1].gone)


def going_away():
    server.refused = False
    first = server.open()[0]
    check("those behind the last stream are asked again", ask("/goaway/0")[1] == body_of(5))
    until("the connection is closed", lambda: first.gone)
    check("another was made", len(server.open()) == 1)
    server.refused = False
    second = server.open()[0]

    def leave():
        last = max(stream for _, stream in server.held)
        check("the last stream is answered", ask(f"/goaway/{last + 2}")[1] == body_of(5))
        check("new ones go elsewhere", ask("/n/3")[1] == body_of(3) and second.count == 4 + 1)

    check("those before it, too", at_once(3, "/hold", before=leave) == [b"held"] * 3)
    until("the connection is closed", lambda: second.gone)


messages()
streams()
broken()
going_away()
check("no fault of ours", not server.faults and not few.faults and
      not any(server.goaways) and not any(few.goaways))
finish()
