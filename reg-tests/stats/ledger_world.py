# SPDX-License-Identifier: BSD-2-Clause
"""
Clients and servers of counters.py, which enter into the books what went over their sockets. Bytes of
a client are those that it has sent and read, in clear where TLS is spoken.
"""

from http1 import Reader
from origin import serve_each
from service import connect


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


def class_of(status):
    return f"hrsp_{status // 100}xx" if 100 <= status < 600 else "hrsp_other"


def rows_of(to):
    """Those of "backend/server"; of "backend/", where no server was chosen; of None: none."""
    if not to:
        return []
    backend, server = to.split("/")
    return [f"{backend}/BACKEND"] + ([to] if server else [])


class Visit:
    """A connection of a client to a frontend, of HTTP/1 unless that is in mode tcp. Where a request goes is said by `to`, as
    "backend/server"; "backend/": it gets no server; None: it gets no backend."""

    def __init__(self, books, fe, source=None, seal=None, session=None, passes=True):
        """seal: an SSLContext; session: the one to be resumed. passes: no rule refuses it before it
        may speak."""
        self.books, self.fe, self.open = books, fe, False
        self.front, self.here = f"{fe}/FRONTEND", f"{fe}/FRONTEND {fe}/l"
        proxy = books.proxies[fe]
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
                self.books.add(self.front, h1_total_connections=1, h1_open_connections=1)
            else:
                self.books.add("info", CumReq=1)
        self.passed = passes

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
            self.books.add(self.front, h1_open_connections=-1)

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
            if self.http:
                self.books.add(self.front, **{"h1_bytes_in" if column == "bin" else "h1_bytes_out": n})
        self.pending = []

    def usual(self, to):
        return self.default if to == "default" else to

    # -- an exchange, in pieces --

    def begins(self):
        """The first byte of a request has come."""
        self.books.add(self.front, h1_total_streams=1, h1_open_streams=1)

    def asks(self, to="default", balanced=True):
        """The head of a request is there, and goes to a backend."""
        to = self.usual(to)
        self.begins()
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
        self.books.add(self.front, h1_open_streams=-1)
        self.leaves(to)
        self.book()

    def leaves(self, to):
        self.books.add(" ".join(rows_of(to)), scur=-1)
        if to and not to.endswith("/"):
            self.books.add(to, used_conn_cur=-1)

    def say(self, data, to="default"):
        """A request leaves, or a part of it."""
        self.tap.sendall(data)
        self.moved(self.usual(to), len(data), "bin")

    def hears(self, to="default", bodiless=False, answered=True, unframed=False):
        """An answer comes: (status, head, body). answered: by the server. unframed: chunk lines that
        the program makes itself are not counted."""
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
        finally:
            self.books.add(self.server.backend, h1_open_streams=-1, h1_bytes_in=self.tap.sent - sent,
                           h1_bytes_out=self.tap.got - got)
        return said is not None and b"\r\nconnection: close" not in said.lower()

    # -- for answers --

    @property
    def path(self):
        return self.head.split()[1].decode()

    def body(self):
        return self.reader.body(self.head)
