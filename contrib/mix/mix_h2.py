# SPDX-License-Identifier: BSD-2-Clause
"""HTTP/2 on both sides of the proxy. Clients and servers of the mix speak HTTP/1; a gateway in
front of the proxy carries the requests of many clients over a few connections of HTTP/2, and a
connection of HTTP/2 from the proxy becomes one of HTTP/1 for each of its streams. PyPI's h2 judges
what the proxy sends."""
import random
import re
import socket
import threading

from wire import Bad, Gone, Reader, Tls, body, close, framing, reset, values

try:
    import h2.config
    import h2.connection
    import h2.errors
    import h2.events
    import h2.exceptions
    import h2.settings
    THERE = True
except ImportError:
    THERE = False

HOLD = 30.0
PATIENCE = 6.0       # with clients that have stopped: the proxy does not see them
HOP = (b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"proxy-connection", b"host", b"te")


class Stream:
    def __init__(self, trunk, number):
        self.trunk, self.number, self.came, self.dead = trunk, number, [], False

    def tell(self, *what):
        """What came; the trunk's lock is held."""
        self.came.append(what)
        if what[0] == "reset":
            self.dead = True

    def next(self):
        """The oldest that came; DATA is acknowledged with it."""
        trunk = self.trunk
        with trunk.lock:
            if not trunk.lock.wait_for(lambda: self.came, HOLD):
                return "reset", None
            what = self.came.pop(0)
            if what[0] == "data" and not self.dead:
                try:
                    trunk.h2.acknowledge_received_data(what[2], self.number)
                except h2.exceptions.H2Error:
                    pass
                trunk.flush()
            return what

    def act(self, name, *args, **more):
        """One call of the library, if the stream is still there."""
        with self.trunk.lock:
            if self.dead or self.trunk.gone:
                return False
            try:
                getattr(self.trunk.h2, name)(self.number, *args, **more)
            except (h2.exceptions.H2Error, ValueError, KeyError):
                self.dead = True
            self.trunk.flush()
            return not self.dead

    def send(self, data):
        """Under the peer's windows; what is left of a stream that is gone is dropped."""
        trunk, at = self.trunk, 0
        while at < len(data):
            with trunk.lock:
                if not trunk.lock.wait_for(lambda: self.dead or trunk.gone or self.window() > 0, HOLD):
                    self.dead = True
                if self.dead or trunk.gone:
                    return
                n = min(self.window(), trunk.h2.max_outbound_frame_size, len(data) - at)
                try:
                    trunk.h2.send_data(self.number, data[at:at + n])
                except h2.exceptions.H2Error:
                    self.dead = True
                    return
                trunk.flush()
                at += n

    def window(self):
        try:
            return self.trunk.h2.local_flow_control_window(self.number)
        except h2.exceptions.H2Error:
            self.dead = True
            return 0

    def reset(self):
        if self.act("reset_stream", error_code=h2.errors.ErrorCodes.CANCEL):
            self.dead = True


class Trunk:
    """A connection of HTTP/2: one thread reads, one writes. fault: what is told of a peer that is
    wrong. begun: called with each stream that the peer opens, and its fields."""

    def __init__(self, sock, r, fault, begun=None):
        self.sock, self.fault, self.begun = sock, fault, begun
        self.lock = threading.Condition(threading.RLock())
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=not begun, header_encoding=None))
        self.streams, self.out, self.gone, self.drains = {}, bytearray(), False, False
        windows = {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: r.choice([5000, 65535, 65535, 1 << 20])}
        with self.lock:
            self.h2.initiate_connection()
            self.h2.update_settings(windows)
            self.h2.increment_flow_control_window(1 << 20)
            self.flush()
        for work in self.read, self.write:
            threading.Thread(target=work, daemon=True).start()

    def flush(self):
        self.out += self.h2.data_to_send()
        self.lock.notify_all()

    def write(self):
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.out or self.gone, HOLD)
                data, self.out = bytes(self.out), bytearray()
                if not data and self.gone:
                    return
            try:
                self.sock.sendall(data)
            except (OSError, ValueError):
                return self.end()

    def read(self):
        try:
            while not self.gone:
                data = self.sock.recv(65536)
                if not data:
                    break
                with self.lock:
                    for event in self.h2.receive_data(data):
                        self.take(event)
                    self.flush()
        except h2.exceptions.H2Error as e:
            # The library takes nothing behind GOAWAY, and no 1xx for a stream that it has reset.
            if not re.search(r"ConnectionState.CLOSED|RECV_INFORMATIONAL_HEADERS in state 6", repr(e)):
                self.fault("HTTP/2 of the proxy: %r" % e)
        except (OSError, ValueError):
            pass
        self.end()

    def take(self, event):
        e = h2.events
        stream = self.streams.get(getattr(event, "stream_id", None))
        if isinstance(event, e.RequestReceived):
            stream = self.streams[event.stream_id] = Stream(self, event.stream_id)
            threading.Thread(target=self.begun, args=(stream, event.headers), daemon=True).start()
        elif isinstance(event, e.ConnectionTerminated):
            self.drains = True
            for number, other in self.streams.items():
                if number > (event.last_stream_id or 0) or event.error_code:
                    other.tell("reset", event.error_code)
        elif not stream:
            pass
        elif isinstance(event, e.InformationalResponseReceived):
            stream.tell("interim", event.headers)
        elif isinstance(event, e.ResponseReceived):
            stream.tell("head", event.headers)
        elif isinstance(event, e.DataReceived):
            stream.tell("data", event.data, event.flow_controlled_length)
        elif isinstance(event, e.StreamEnded):
            stream.tell("end")
        elif isinstance(event, e.StreamReset):
            stream.tell("reset", event.error_code)

    def open(self, fields, ends):
        """A stream with this request; None: the trunk takes no more."""
        with self.lock:
            if self.gone or self.drains:
                return None
            try:
                number = self.h2.get_next_available_stream_id()
                stream = self.streams[number] = Stream(self, number)
                self.h2.send_headers(number, fields, end_stream=ends)
            except h2.exceptions.H2Error:
                return None
            self.flush()
            return stream

    def end(self):
        with self.lock:
            self.gone = True
            for stream in self.streams.values():
                stream.tell("reset", None)
            self.lock.notify_all()
        close(self.sock)


def fields_of(fields):
    named = b",".join(values(fields, b"connection")).lower().replace(b" ", b"").split(b",")
    return [(n, v) for n, v in fields if n not in HOP and n not in named]


class Gateway:
    """Clients of HTTP/1 come to its port, and their requests go to a frontend over HTTP/2."""

    def __init__(self, run, front):
        self.run, self.front = run, front
        self.r = random.Random("%s/gateway/%d" % (run.seed, front.port))
        self.trunks, self.lock, self.stop = [], threading.Lock(), False
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.sock.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not self.stop:
            try:
                c = self.sock.accept()[0]
            except OSError:
                return
            c.settimeout(PATIENCE)
            threading.Thread(target=self.conn, args=(c,), daemon=True).start()

    def connect(self):
        s = socket.socket()
        s.settimeout(HOLD)
        s.connect(("127.0.0.1", self.front.port))
        if self.front.proxy == "v2":
            s.sendall(b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes([10, 0, 0, 1, 10, 0, 0, 2, 1, 2, 3, 4]))
        elif self.front.proxy:
            s.sendall(b"PROXY TCP4 10.0.0.1 10.0.0.2 1000 80\r\n")
        if self.front.tls:
            s = Tls(self.run.tls_client_h2, s)
            if s.tls.selected_alpn_protocol() != "h2":
                raise OSError("no h2")
        return Trunk(s, self.r, self.fault)

    def fault(self, what):
        if not self.run.master and not self.run.few:
            self.run.fault("gateway: " + what)

    def trunk(self):
        with self.lock:
            alive = [t for t in self.trunks if not t.gone and not t.drains]
            if not alive or self.r.random() < .1:
                alive.append(self.connect())
                self.trunks.append(alive[-1])
            if self.r.random() < .02:
                reset(alive[0].sock)
            return alive[-1]

    def conn(self, c):
        try:
            rd = Reader(c)
            while self.exchange(c, rd):
                pass
        except (Gone, Bad, OSError, ValueError):
            pass
        close(c)

    def exchange(self, c, rd):
        start, fields = rd.head()
        words = start.split()
        if len(words) != 3 or words[0] == b"CONNECT" or values(fields, b"upgrade"):
            return False
        frame = framing(fields)
        host = values(fields, b"host")
        head = [(b":method", words[0]), (b":scheme", b"https" if self.front.tls else b"http"), (b":path", words[1]),
                (b":authority", host[0] if host else b"x")] + fields_of(fields)
        stream = None
        for _ in range(3):
            stream = stream or self.trunk().open(head, frame in (None, 0))
        if not stream:
            return False
        up = threading.Thread(target=self.upload, args=(rd, frame, stream), daemon=True)
        up.start()
        try:
            good = self.download(c, stream, words[0] == b"HEAD")
        except (OSError, ValueError):
            stream.reset()
            return False
        if not good:
            return False
        up.join(HOLD)
        return not up.is_alive() and not getattr(stream, "cut", False)

    def upload(self, rd, frame, stream):
        if frame in (None, 0):
            return
        try:
            body(rd, frame, stream.send)
            stream.act("end_stream")
        except (Gone, Bad, OSError, ValueError):
            stream.cut = True
            stream.reset()
            with stream.trunk.lock:
                stream.tell("reset", None)
                stream.trunk.lock.notify_all()

    @staticmethod
    def download(c, stream, bare):
        """False: it broke off."""
        chunked = False
        while True:
            what, *more = stream.next()
            if what in ("interim", "head"):
                status = dict(more[0])[b":status"]
                rest = [(n, v) for n, v in more[0] if not n.startswith(b":")]
                bare = bare or status in (b"204", b"304")
                chunked = what == "head" and not bare and not values(rest, b"content-length")
                c.sendall(b"HTTP/1.1 %s X\r\n" % status + b"".join(b"%s: %s\r\n" % f for f in rest) +
                          (b"Transfer-Encoding: chunked\r\n" if chunked else b"") + b"\r\n")
            elif what == "data" and more[0]:
                c.sendall(b"%x\r\n%s\r\n" % (len(more[0]), more[0]) if chunked else more[0])
            elif what == "end":
                if chunked:
                    c.sendall(b"0\r\n\r\n")
                return True
            elif what == "reset":
                return False

    def end(self):
        self.stop = True
        close(self.sock)
        for trunk in self.trunks:
            trunk.end()


def pair():
    """Two ends of a TCP connection: that it is reset can be seen."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        a = socket.create_connection(listener.getsockname(), HOLD)
        b = listener.accept()[0]
        b.settimeout(HOLD)
        return a, b


def serve(origin, c):
    """A connection of the proxy that speaks HTTP/2: each stream becomes one of HTTP/1 for
    origin.talk."""
    r = random.Random()
    trunk = Trunk(c, r, lambda what: origin.run.mutates or origin.run.fault("server: " + what),
                  lambda stream, fields: quietly(stream_of_origin, origin, stream, fields))
    while not origin.stop and not trunk.gone:
        with trunk.lock:
            trunk.lock.wait(.2)
        if r.random() < .002:
            with trunk.lock:
                trunk.h2.close_connection(last_stream_id=trunk.h2.highest_inbound_stream_id)
                trunk.flush()
            break
    trunk.end()


def quietly(work, *args):
    try:
        work(*args)
    except (Gone, Bad, OSError, ValueError, h2.exceptions.H2Error):
        args[1].reset()


def stream_of_origin(origin, stream, fields):
    pseudo = {n: v for n, v in fields if n.startswith(b":")}
    if b":path" not in pseudo:
        raise Bad("CONNECT")
    mine, theirs = pair()
    threading.Thread(target=origin.talk, args=(theirs,), daemon=True).start()
    rest = [(n, v) for n, v in fields if not n.startswith(b":")]
    length = values(rest, b"content-length")
    with stream.trunk.lock:
        ends = stream.came[:1] == [("end",)]
    host = [] if values(rest, b"host") else [(b"host", pseudo.get(b":authority", b""))]
    chunked = not length and not ends
    mine.sendall(b"%s %s HTTP/1.1\r\n" % (pseudo[b":method"], pseudo[b":path"]) +
                 b"".join(b"%s: %s\r\n" % f for f in host + rest) +
                 (b"Transfer-Encoding: chunked\r\n" if chunked else b"") + b"\r\n")
    threading.Thread(target=quietly, args=(lambda m, s: request_body(m, s, chunked), mine, stream),
                     daemon=True).start()
    rd = Reader(mine)
    while True:
        start, fields = rd.head()
        m = re.match(rb"^HTTP/1\.[01] (\d\d\d)", start)
        if not m:
            raise Bad("status")
        head = [(b":status", m[1])] + fields_of(fields)
        if m[1] >= b"200":
            break
        stream.act("send_headers", head)
    frame = framing(fields)
    bare = pseudo[b":method"] == b"HEAD" or m[1] in (b"204", b"304")
    if bare or frame == 0:
        stream.act("send_headers", head, end_stream=True)
    else:
        stream.act("send_headers", head)
        body(rd, "close" if frame is None else frame, stream.send)
        stream.act("end_stream")
    close(mine)


def request_body(mine, stream, chunked):
    try:
        while True:
            what, *more = stream.next()
            if what == "data" and more[0]:
                mine.sendall(b"%x\r\n%s\r\n" % (len(more[0]), more[0]) if chunked else more[0])
            elif what == "end":
                if chunked:
                    mine.sendall(b"0\r\n\r\n")
                return
            elif what == "reset":
                reset(mine)
                return
    except OSError:
        pass
