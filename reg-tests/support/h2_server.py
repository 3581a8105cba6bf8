# SPDX-License-Identifier: BSD-2-Clause
"""
A server of HTTP/2 out of the library h2 (python3-h2), for tests: it answers by what the path says.
It keeps account of its connections, of streams at once, and of what it was asked.

/n/<bytes>     so many bytes, each by its place        /echo     the request's body, and its trailers
/status/<n>    that status, no body                    /interim  103, then 200
/trailers      a body with trailers                    /hold     nothing until release() was called
/reset/<n>     n bytes of 100000, then RST_STREAM      /refuse   REFUSED_STREAM, the first time
/pings/<n>     n times the answer to a PING, then as /n/5
/goaway/<n>    GOAWAY, stream n is the last, then as /n/5 for those that are not behind it

A whole answer has the field x-ask of its request.
"""

import socket
import threading
from h2.config import H2Configuration
from h2.connection import ConnectionState, H2Connection
from h2.errors import ErrorCodes
from h2.events import (ConnectionTerminated, DataReceived, RequestReceived, StreamEnded,
                       StreamReset, TrailersReceived, WindowUpdated)
from h2.exceptions import NoSuchStreamError, ProtocolError, StreamClosedError, StreamIDTooLowError
from h2.settings import SettingCodes

from http1 import reply
from origin import serve_each, serve_requests
from sockets import server_with


def body_of(n):
    """Position-dependent: no byte can be mistaken for another place's."""
    return b"".join(b"%07d " % i for i in range(n // 8 + 1))[:n]


class Request:
    def __init__(self, headers):
        self.headers = dict(headers)
        self.fields = headers
        self.path = self.headers.get(b":path", b"").decode()
        self.body, self.trailers = b"", []


class Connection:
    def __init__(self, server, sock):
        self.server, self.sock, self.lock = server, sock, threading.RLock()
        self.streams, self.out, self.most, self.count = {}, {}, 0, 0
        self.reset, self.gone, self.last = [], False, None
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding=None))

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.sock.sendall(data)

    def run(self):
        try:
            with self.lock:
                self.h2.initiate_connection()
                if self.server.settings:
                    self.h2.update_settings(self.server.settings)
                self.flush()
            while data := self.sock.recv(65536):
                with self.lock:
                    for event in self.h2.receive_data(data):
                        self.event(event)
                    self.flush()
        except ProtocolError as e:
            self.server.faults.append(repr(e))
        except OSError:
            pass
        self.gone = True
        self.sock.close()

    def unless_reset(self, stream, act, *words):
        """What came together is known to the library before the first event of it is given. Behind
        GOAWAY it says nothing any more."""
        try:
            act(stream, *words)
        except (NoSuchStreamError, StreamClosedError, StreamIDTooLowError):
            self.out.pop(stream, None)
        except ProtocolError:
            if self.h2.state_machine.state != ConnectionState.CLOSED:
                raise

    def event(self, e):
        stream = getattr(e, "stream_id", None)
        if isinstance(e, RequestReceived):
            self.streams[stream] = Request(e.headers)
            self.count += 1
            self.most = max(self.most, len(self.streams))
            self.server.connections_used.append(id(self))
        elif isinstance(e, DataReceived):
            self.h2.acknowledge_received_data(e.flow_controlled_length, stream)
            if stream in self.streams:
                self.streams[stream].body += e.data
        elif isinstance(e, (TrailersReceived, StreamEnded)) and stream not in self.streams:
            pass  # we have reset it
        elif isinstance(e, TrailersReceived):
            self.streams[stream].trailers = e.headers
        elif isinstance(e, StreamEnded):
            self.server.asked.append(self.streams[stream])
            self.server.before(self, stream)
            if stream in self.streams:
                self.unless_reset(stream, self.answer, self.streams[stream])
        elif isinstance(e, StreamReset):
            self.reset.append((stream, e.error_code))
            self.streams.pop(stream, None)
            self.out.pop(stream, None)
        elif isinstance(e, WindowUpdated):
            for each in list(self.out):
                self.unless_reset(each, self.pour)
        elif isinstance(e, ConnectionTerminated):
            self.server.goaways.append(e.error_code)

    # -- answers -----------------------------------------------------------------------------

    def say(self, stream, status, body=b"", fields=(), trailers=None, length=True):
        mark = self.streams[stream].headers.get(b"x-ask")
        head = [(":status", str(status)), *fields, *([("x-ask", mark)] if mark else [])]
        if length:
            head.append(("content-length", str(len(body))))
        ends = not body and trailers is None
        self.h2.send_headers(stream, head, end_stream=ends)
        if ends:
            self.streams.pop(stream, None)
        else:
            self.out[stream] = [body, trailers]
            self.pour(stream)

    def pour(self, stream):
        """As much as the windows let through."""
        body, trailers = self.out[stream]
        while body:
            n = min(len(body), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if n <= 0:
                self.out[stream][0] = body
                return
            self.h2.send_data(stream, body[:n], end_stream=n == len(body) and trailers is None)
            body = body[n:]
        if trailers is not None:
            self.h2.send_headers(stream, trailers, end_stream=True)
        del self.out[stream]
        self.streams.pop(stream, None)

    def later(self, stream):
        with self.lock:
            if stream in self.streams and not self.gone:
                try:
                    self.say(stream, 200, b"held")
                    self.flush()
                except (OSError, StreamClosedError):
                    pass

    def rst(self, stream, code):
        self.h2.reset_stream(stream, code)
        self.streams.pop(stream, None)

    def answer(self, stream, r):
        name, _, rest = r.path.strip("/").partition("/")
        if self.last is not None and stream > self.last:
            self.streams.pop(stream, None)
            return
        if name == "n":
            self.say(stream, 200, body_of(int(rest)))
        elif name == "unknown":  # of unknown length
            self.say(stream, 200, body_of(int(rest)), length=False)
        elif name == "echo":
            fields = [(b"x-trailer-" + n, v) for n, v in r.trailers]
            self.say(stream, 200, r.body, fields)
        elif name == "status":
            self.say(stream, int(rest), length=False)
        elif name == "interim":
            self.h2.send_headers(stream, [(":status", "103"), ("link", "</a.css>")])
            self.say(stream, 200, b"behind")
        elif name == "trailers":
            self.say(stream, 200, b"body", (), [("x-t", "v"), ("content-length", "0"), ("host", "b"),
                                               ("x-u", "w")], length=False)
        elif name == "hold":
            self.server.held.append((self, stream))
        elif name == "reset":
            self.h2.send_headers(stream, [(":status", "200"), ("content-length", "100000")])
            body = body_of(int(rest))
            while body and (window := self.h2.local_flow_control_window(stream)):
                self.h2.send_data(stream, body[:min(window, 16384)])
                body = body[min(window, 16384):]
            self.rst(stream, ErrorCodes.INTERNAL_ERROR)
        elif name == "refuse":
            refused, self.server.refused = self.server.refused, True
            if refused:
                self.say(stream, 200, b"at last")
            else:
                self.rst(stream, ErrorCodes.REFUSED_STREAM)
        elif name == "pings":
            self.flush()
            self.sock.sendall(b"\0\0\x08\6\1\0\0\0\0oddities" * int(rest))
            self.say(stream, 200, body_of(5))
        elif name == "break":  # no answer
            self.rst(stream, ErrorCodes.INTERNAL_ERROR)
        elif name == "goaway" and not self.server.refused:
            self.server.refused = True
            self.last = int(rest)
            self.goaway(self.last)
            if stream <= self.last:
                self.say(stream, 200, body_of(5))
        else:
            self.say(stream, 200, body_of(5))

    def goaway(self, last, code=0):
        """The library's own ends the connection for itself at once."""
        self.flush()
        self.sock.sendall(b"\0\0\x08\x07\0\0\0\0\0" + last.to_bytes(4, "big") + code.to_bytes(4, "big"))


class H2Server:
    """Listens on the port. settings: most streams at once. alpn: protocols over TLS, with
    certificate and key in one file. proxy: a header of the PROXY protocol, version 1, comes
    first."""

    def __init__(self, port, settings=None, alpn=None, pem=None, proxy=False):
        self.proxy = proxy
        self.settings = settings and {SettingCodes.MAX_CONCURRENT_STREAMS: settings}
        self.connections, self.asked, self.held = [], [], []
        self.faults, self.goaways, self.connections_used = [], [], []
        self.refused, self.chosen, self.names = False, [], []
        self.tls = None
        if alpn is not None:
            self.tls = server_with(pem, *alpn)
            self.tls.sni_callback = lambda s, name, c: self.names.append(name)
        self.listener = serve_each(f"127.0.0.1:{port}", self.serve, self.tls)


    def serve(self, sock):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls:
            self.chosen.append(sock.selected_alpn_protocol())
            if self.chosen[-1] != "h2":
                serve_requests(sock, lambda r: reply(b"h1"))  # where HTTP/2 was not chosen
                return
        while self.proxy and sock.recv(1) not in (b"\n", b""):
            pass
        c = Connection(self, sock)
        self.connections.append(c)
        c.run()


    def before(self, c, stream):
        """A request has come as a whole; who inherits from this may do something in between."""

    def open(self):
        return [c for c in self.connections if not c.gone]

    def streams(self):
        return sum(len(c.streams) for c in self.connections if not c.gone)

    def release(self):
        held, self.held = self.held, []
        for c, stream in held:
            c.later(stream)
