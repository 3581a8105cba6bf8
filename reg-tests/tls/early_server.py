# SPDX-License-Identifier: BSD-2-Clause
"""What early_server.sh describes."""

import socket

import early
from early_lib import addresses, before_finished, check, column, folder, get, info

server, asked, told, plain, never, once, tcp, off, named, unrepeated, smaller = addresses


def reply(is_early, head, body):
    if b"/425" in head and is_early:
        return b"HTTP/1.1 425 Too Early\r\nContent-Length: 0\r\n\r\n"
    said = (b"early " if is_early else b"late ") + head.split(b"\r\n")[0] + b" " + body
    kind = b"Content-Type: text/plain\r\n" if b"/text" in head else b""
    return b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n" % (kind, len(said)) + said


backend = early.Server(folder + "/pem", reply, to=early.place(server))


def visit(to, request):
    """A client without TLS: what it is told, and what the server got for it."""
    backend.requests.clear()
    connections = backend.connections
    with socket.create_connection(early.place(to), early.PATIENCE) as s:
        s.sendall(request)
        said = b""
        while b"\r\n\r\n" not in said or len(said.partition(b"\r\n\r\n")[2]) < (
                early.content_length(said.partition(b"\r\n\r\n")[0]) or 0):
            if not (piece := s.recv(65536)):
                break
            said += piece
    return said, [r[0] for r in backend.requests], backend.connections - connections


def warm(to):
    """The server has given a session, and we have noticed."""
    for i in range(2):
        visit(to, get("/warm"))


def told_so(to, request):
    """A client with early data, which has not finished when it is answered."""
    backend.requests.clear()
    c, said = before_finished(to, request)
    c.close()
    got = [r for r in backend.requests if b"/first" not in r[1]]
    return said, got


def broken(to, request):
    """The same, and the server breaks the connection when it has read."""
    session, said = early.session(to, get("/first"))
    c = early.Client(to, session)
    connections = backend.connections
    backend.breaks = 1
    c.early(request)
    c.handshake(send=False)
    said = c.response()
    c.close()
    return said, backend.connections - connections


warm(asked)
said, got, connections = visit(asked, get("/a"))
check("a safe request goes early", said.endswith(b"early GET /a HTTP/1.1 ") and got == [True], (said, got))
said, got, connections = visit(asked, b"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
check("another one does not", said.endswith(b"late POST /p HTTP/1.1 body") and got == [False], (said, got))
backend.refuses = True
retries = int(column("safe", "s1", "wretr"))
said, got, connections = visit(asked, get("/b"))
check("refused, it goes behind the handshake, once, on the same connection",
      said.endswith(b"late GET /b HTTP/1.1 ") and got == [False] and connections == 1, (said, got, connections))
check("that is a retry", int(column("safe", "s1", "wretr")) == retries + 1)
backend.refuses = False
warm(asked)
said, got, connections = visit(asked, get("/425"))
check("a 425 is not the client's", said.endswith(b"late GET /425 HTTP/1.1 ") and got == [True, False], (said, got))
warm(asked)
backend.breaks = 1
said, got, connections = visit(asked, get("/c"))
check("a connection that breaks is tried again", said.endswith(b"GET /c HTTP/1.1 ") and connections == 2, said)

warm(plain)
said, got, connections = visit(plain, get("/d"))
check("without early data of the client or the word none are sent", got == [False], got)
said, got = told_so(told, get("/e"))
check("with those of the client they are", said.endswith(b"early GET /e HTTP/1.1 ") and [r[0] for r in got] == [True], (said, got))
check("and marked", b"\r\nearly-data: 1" in got[0][1], got)
body = b"0123456789" * 500
said, got = told_so(told, b"POST /f HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + body)
check("a body follows its head", said.endswith(b"POST /f HTTP/1.1 " + body) and len(got) == 1, (said, got))
said, got = told_so(told, get("/425"))
check("a 425 is the client's", said.startswith(b"HTTP/1.1 425") and len(got) == 1, (said, got))
backend.refuses = True
said, got = told_so(told, get("/g"))
check("refused, it follows", said.endswith(b"late GET /g HTTP/1.1 ") and len(got) == 1, (said, got))
backend.refuses = False
said, connections = broken(told, get("/h"))
check("what may have been read is not said twice", b" 503 " in said.split(b"\r\n")[0] and connections == 1, said)

warm(never)
check("without retries none are sent", visit(never, get("/i"))[1] == [False])
warm(once)
check("all-retryable-errors has the word", visit(once, get("/j"))[1] == [True])
warm(off)
check("without allow-0rtt none are sent", visit(off, get("/k"))[1] == [False])

told_so(named, get("/warm"))
said, got = told_so(named, get("/o"))
check("a head that names the server is the same when it is made again",
      said.endswith(b"early GET /o HTTP/1.1 ") and len(got) == 1 and b"x-srv: s1" in got[0][1].lower(), (said, got))
said, connections = broken(unrepeated, get("/p"))
check("nor with 0rtt-rejected and disable-l7-retry", b" 503 " in said.split(b"\r\n")[0] and connections == 1,
      (said, connections))
warm(smaller)
said, got, connections = visit(smaller, b"GET /text HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n")
check("what was made early knows what the client takes", got == [True] and b"content-encoding: gzip" in said.lower(),
      (said, got))

said, got = told_so(tcp, get("/l"))
said, got = told_so(tcp, get("/m"))
check("mode tcp", said.endswith(b"early GET /m HTTP/1.1 ") and len(got) == 1, (said, got))
backend.refuses = True
said, got = told_so(tcp, get("/n"))
check("refused", said.endswith(b"late GET /n HTTP/1.1 ") and len(got) == 1, (said, got))
check("all this was counted", info("EarlyDataSent") >= 10 and info("EarlyDataRejected") == 3,
      (info("EarlyDataSent"), info("EarlyDataRejected")))
