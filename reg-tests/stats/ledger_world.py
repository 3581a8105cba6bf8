# SPDX-License-Identifier: BSD-2-Clause
"""
Clients and servers of counters.py, which enter into the books what went over their sockets. Bytes
of a client are those that it has sent and read, in clear where TLS is spoken.
"""

import socket

from frames import ACK, DATA, END_STREAM, HEADERS, SETTINGS, Client, frame, read_block
from frames import request as frames_request
from http1 import Reader, request
from origin import serve_each
from service import PATIENCE, connect


class Tap:
    """A socket that counts."""

    def __init__(self, s):
        self.s, self.sent, self.got = s, 0, 0

    def sendall(self, data):
        self.s.sendall(data)
        self.sent += len(data)

    def recv(self, most):
        piece = self.s.recv(most)
        self.got += len(piece)
        return piece


def closed(s):
    """Whether the other side has ended it, and nothing else has come."""
    s.setblocking(False)
    try:
        return not s.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    finally:
        s.settimeout(PATIENCE)


def class_of(status):
    return f"hrsp_{status // 100}xx" if 100 <= status < 600 else "hrsp_other"


def rows_of(to):
    """Those of "backend/server"; of "backend/", where no server was chosen; of None: none."""
    if not to:
        return []
    backend, server = to.split("/")
    return [f"{backend}/BACKEND"] + ([to] if server else [])


class Visit:
    h2 = False
    """A connection of a client to a frontend, of HTTP/1 unless that is in mode tcp. Where a request goes is said by `to`, as
    "backend/server"; "backend/": it gets no server; None: it gets no backend."""

    def __init__(self, books, fe, source=None, seal=None, session=None, passes=True):
        """seal: an SSLContext; session: the one to be resumed. passes: no rule refuses it before it
        may speak."""
        self.books, self.fe, self.open = books, fe, False
        self.front, self.here = f"{fe}/FRONTEND", f"{fe}/FRONTEND {fe}/l"
        proxy = books.proxies[fe]
        self.waits = False  # for an answer
        self.pending = []  # bytes are booked when the exchange is over
        self.http, self.default = proxy.mode == "http", proxy.default and f"{proxy.default}/s"
        s = connect(proxy.address["l"], source)
        if passes is not None:
            self.comes(passes)
        if seal:
            s = seal.wrap_socket(s, server_hostname="www.example.com", session=session)
            books.add(self.here, **{"ssl_reused_sess" if s.session_reused else "ssl_sess": 1})
        self.tap = Tap(s)
        self.reader = Reader(self.tap)

    def comes(self, passes=True):
        """It is accepted."""
        self.books.add("info", CumConns=1)
        self.books.add(self.front, conn_tot=1)
        self.books.add(f"{self.fe}/l", stot=1)
        self.books.high(self.here, "scur", "smax", 1)
        self.books.add("info", CurrConns=1, Jobs=1)
        self.open = True
        if passes:
            self.books.add(self.front, stot=1)
            if self.http:
                self.carried(1)
            else:
                self.books.add("info", CumReq=1)
        self.passed = passes

    def carried(self, by):
        """Connections by their protocol."""
        self.books.add(self.front, h1_total_connections=max(by, 0), h1_open_connections=by)

    def close(self):
        """Says nothing more."""
        self.tap.s.close()
        self.closed()

    def closed(self):
        """The program has ended it, or will."""
        if not self.open:
            return
        self.open = False
        self.books.add(self.here, scur=-1)
        self.books.add("info", CurrConns=-1, Jobs=-1)
        if self.http and self.passed:
            self.carried(-1)

    def lost(self):
        """Its worker is dead: what was under way was not counted."""
        if self.waits:
            self.pending = []
            self.over()
        self.close()

    def ends_well(self):
        if self.waits:
            self.hears()
            self.over()
        self.close()

    def ends(self, to=None):
        """Waits for the end that the program makes; what comes before it is no whole answer."""
        before = self.tap.got - len(self.reader.held)
        try:
            self.reader.rest()
        except ConnectionResetError:
            pass
        self.moved(to, self.tap.got - before, "bout")
        self.tap.s.close()

    def moved(self, to, n, column):
        """Bytes, which the program counts when the exchange has ended."""
        self.pending.append((" ".join([self.here, *rows_of(to)]), column, n))

    def book(self):
        for rows, column, n in self.pending:
            self.books.add(rows, **{column: n})
            if self.http and not self.h2:
                self.books.add(self.front, **{"h1_bytes_in" if column == "bin" else "h1_bytes_out": n})
        self.pending = []

    def usual(self, to):
        return self.default if to == "default" else to

    # -- an exchange, in pieces --

    def begins(self):
        """The first byte of a request has come."""
        self.streamed(1)

    def streamed(self, by):
        """The same of streams."""
        self.books.add(self.front, h1_total_streams=max(by, 0), h1_open_streams=by)

    def asks(self, to="default", balanced=True):
        """The head of a request is there, and goes to a backend."""
        to = self.usual(to)
        self.begins()
        self.waits = True
        self.books.add("info", CumReq=1)
        self.books.add(self.front, req_tot=1)
        if to:
            self.books.add(rows_of(to)[0], req_tot=1)
            self.reaches(to, balanced)

    def reaches(self, to, balanced=True):
        """Sessions of backend and server begin."""
        for row in rows_of(to):
            self.books.add(row, stot=1)
            self.books.high(row, "scur", "smax", 1)
        if not to.endswith("/"):
            self.books.add(" ".join(rows_of(to)), lbtot=int(balanced))
            self.books.add(to, used_conn_cur=1)

    def over(self, to="default"):
        """The exchange has ended."""
        to = self.usual(to)
        self.streamed(-1)
        self.leaves(to)
        self.book()
        self.waits = False

    def leaves(self, to):
        self.books.add(" ".join(rows_of(to)), scur=-1)
        if to and not to.endswith("/"):
            self.books.add(to, used_conn_cur=-1)

    def say(self, data, to="default"):
        """A request leaves, or a part of it."""
        self.tap.sendall(data)
        self.moved(self.usual(to), len(data), "bin")

    def hears(self, to="default", bodiless=False, answered=True, unframed=False):
        """An answer comes: (status, head, body). answered: by the server. unframed: chunk lines
        that the program makes itself are not counted."""
        to, before = self.usual(to), self.tap.got - len(self.reader.held)
        while True:
            got = self.reader.message(bodiless)
            if got is None:
                raise EOFError
            status = int(got[0].split()[1])
            if status >= 200 or status == 101:
                break
            self.books.add(to, req_tot=1, hrsp_1xx=1)
        self.counts(status, to, answered)
        read = self.tap.got - len(self.reader.held) - before
        if unframed:
            read = len(got[0]) + 4 + len(got[1])
        self.moved(to, read, "bout")
        return status, *got

    def counts(self, status, to, answered=True):
        """Responses by their class; of the server what it has said."""
        rows = rows_of(to)
        if answered and to and not to.endswith("/"):
            self.books.add(to, req_tot=1)
        else:
            rows = rows[:1]
        self.books.add(" ".join([self.front, *rows]), **{class_of(status): 1})

    def exchange(self, data, to="default", bodiless=False, answered=True, balanced=True, unframed=False):
        """One request and its answer: (status, head, body)."""
        self.asks(to, balanced)
        self.say(data, to)
        got = self.hears(to, bodiless, answered, unframed)
        self.over(to)
        return got


class Visit2(Visit):
    """The same over HTTP/2; its frames are counted, too. Jobs are streams, and a connection without
    one."""
    h2 = True

    def __init__(self, books, fe, **words):
        super().__init__(books, fe, **words)
        self.client = Client(None, sock=self.tap.s)
        self.sends(settings=1)
        self.client.wait(lambda f: f.kind == SETTINGS and not f.flags & ACK)
        self.sends(settings=1)

    def sends(self, **frames):
        self.books.add(self.front, **{f"h2_{name}_rcvd": n for name, n in frames.items()})

    def carried(self, by):
        self.books.add(self.front, h2_total_connections=max(by, 0), h2_open_connections=by)
        self.books.add("info", H2FrontendCumConns=max(by, 0), H2FrontendCurrConns=by)

    def streamed(self, by):
        self.books.add(self.front, h2_backend_total_streams=max(by, 0), h2_backend_open_streams=by)
        self.books.add("info", H2FrontendCumStreams=max(by, 0), H2FrontendCurrStreams=by)

    def opens(self, path, body=b"", to="default"):
        """A request; its stream. Heads count as HTTP/1 would write them."""
        to = self.usual(to)
        self.asks(to)
        method, more = ("POST", [("content-length", str(len(body)))]) if body else ("GET", [])
        fields = frames_request(path, method, extra=more)
        stream = self.client.open(fields, not body)
        self.sends(headers=1)
        if body:
            self.client.send(frame(DATA, END_STREAM, stream, body))
            self.sends(data=1)
        self.moved(to, len(request(path, method=method, body=body)), "bin")
        return stream

    def hears_of(self, stream, to="default", answered=True):
        """Its answer: (status, body)."""
        to = self.usual(to)
        said = self.client.ends(stream)
        mine = [f for f in self.client.seen if f.stream == stream]
        self.moved(to, sum(len(f.payload) + (9 if f.kind == HEADERS else 0) for f in mine
                           if f.kind in (HEADERS, DATA)), "bout")
        for f in mine:
            if f.kind == HEADERS:
                status = int(dict(read_block(f.payload))[":status"])
                if status >= 200:
                    self.counts(status, to, answered)
                else:
                    self.books.add(to, req_tot=1, hrsp_1xx=1)
        self.over(to)
        return said


class Server:
    """A server of HTTP/1 for "backend/name". answer(asked) gives the bytes of an answer; None: the
    connection ends. Connections count from their first byte, so that health checks do not."""

    def __init__(self, books, where, answer, seal=None):
        self.books, self.where, self.answer = books, where, answer
        self.backend = where.split("/")[0] + "/BACKEND"
        self.both = f"{self.where} {self.backend}"
        proxy, name = where.split("/")
        self.listener = serve_each(books.proxies[proxy].address[name], lambda s: Talk(self, s).run(), seal)


class Talk:
    """A connection of the program to a server, and the request at hand."""

    def __init__(self, server, s):
        self.server, self.books, self.tap = server, server.books, Tap(s)
        self.reader, self.carried, self.head, self.rested = Reader(self.tap), 0, None, None

    def run(self):
        if not self.reader.more():
            return
        self.books.add(self.server.both, connect=1)
        sealed = hasattr(self.tap.s, "session_reused")
        if sealed:
            self.books.add(self.server.both, **{"ssl_reused_sess" if self.tap.s.session_reused else "ssl_sess": 1})
            self.books.add("info", CumSslConns=1, CurrSslConns=1)
        self.books.add(self.server.backend, h1_total_connections=1, h1_open_connections=1)
        try:
            while self.one():
                self.carried += 1
                self.rests(True)
        finally:
            self.rests(False)
            self.books.add(self.server.backend, h1_open_connections=-1)
            self.books.add("info", CurrSslConns=-int(sealed))

    def rests(self, begins):
        """It lies in the pool, or does no more."""
        if self.rested:
            self.books.add(self.server.where, srv_icur=-1, **{self.rested: -1})
        self.rested = None
        if begins:
            self.rested = "idle_conn_cur" if self.carried == 1 else "safe_conn_cur"
            self.books.add(self.server.where, srv_icur=1, **{self.rested: 1})

    def one(self):
        """One request; whether another may follow."""
        sent, got = self.tap.sent, self.tap.got - len(self.reader.held)
        self.head = self.reader.head()
        if self.head is None:
            return False
        self.rests(False)
        self.books.add(self.server.backend, h1_total_streams=1, h1_open_streams=1)
        if self.carried:
            self.books.add(self.server.both, reuse=1)
        try:
            said = self.server.answer(self)
            if said is not None:
                self.tap.sendall(said)
        except ConnectionAbortedError:
            sent, got = self.tap.sent, self.tap.got  # the worker is dead, and has not counted them
            raise
        finally:
            self.books.add(self.server.backend, h1_open_streams=-1, h1_bytes_in=self.tap.sent - sent,
                           h1_bytes_out=self.tap.got - got)
        return said is not None and b"\r\nconnection: close" not in said.lower()

    # -- for answers --

    @property
    def path(self):
        return self.head.split()[1].decode()

    def aborted(self):
        """The program has ended the connection."""
        return closed(self.tap.s)

    def body(self):
        return self.reader.body(self.head)
