# SPDX-License-Identifier: BSD-2-Clause
"""
Run by soak.sh: clients of both protocols, servers of both, each byte judged by its place. Of
servers there are four: good ones of HTTP/1 (1) and HTTP/2 (2), the latter sending a connection away
now and then; and a chaotic one of HTTP/2 (3), which goes at any frame. Each request has a mark,
which its answer repeats. Some streams ask for a tunnel, which nobody agrees to, and send at once
what a server would take for the next request: no server ever sees that.
"""

import collections
import http.client
import itertools
import random
import select
import socket
import threading
import time
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, ResponseReceived, StreamEnded, StreamReset, TrailersReceived
from h2.exceptions import NoSuchStreamError, ProtocolError, StreamClosedError
from h2.settings import SettingCodes, Settings

from h2_server import H2Server, body_of
from origin import serve_each
from service import PATIENCE, Service, address, check, connect, finish, until
from sockets import ends_by_reset

svc = Service(lambda p: (p.add_argument("--h2"), p.add_argument("--chaos"),
                         p.add_argument("--seconds", type=float),
                         p.add_argument("--clients", type=int), p.add_argument("--seed", type=int)))
args = svc.args
faults, lock = [], threading.Lock()
counts = {}
BODY = body_of(1 << 21)
EVIL = "evil"
marks = itertools.count(1)


def count(what):
    with lock:
        counts[what] = counts.get(what, 0) + 1


def fault(text):
    with lock:
        faults.append(text)


# ---- a server of HTTP/1 ----


def read_head(f):
    lines = []
    while (line := f.readline()) not in (b"\r\n", b""):
        lines.append(line.decode().rstrip("\r\n"))
    return lines


def read_body(f, fields):
    """The body, and its trailers."""
    if "content-length" in fields:
        return f.read(int(fields["content-length"])), []
    body = b""
    while fields.get("transfer-encoding") == "chunked":
        size = int(f.readline(), 16)
        body += f.read(size)
        if not size:
            return body, read_head(f)
        f.readline()
    return body, []


def chunks(body):
    out, at = b"", 0
    while at < len(body):
        n = min(random.randint(1, 40000), len(body) - at)
        out += b"%x\r\n" % n + body[at:at + n] + b"\r\n"
        at += n
    return out


def serve(sock):
    f = sock.makefile("rb")
    while lines := read_head(f):
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        body, trailers = read_body(f, fields)
        name, _, rest = lines[0].split()[1].strip("/").partition("/")
        mark = b"X-Ask: %s\r\n" % fields.get("x-ask", "none").encode()
        if fields.get("x-ask") == EVIL:
            fault(f"bytes of a tunnel that never was are a request: {lines}")
        if name == "echo":
            told = "".join("X-Trailer-%s\r\n" % line for line in trailers).encode()
            sock.sendall(b"HTTP/1.1 200 OK\r\n%s%sContent-Length: %d\r\n\r\n" %
                         (mark, told, len(body)) + body)
        elif name == "trailers":
            sock.sendall(b"HTTP/1.1 200 OK\r\n" + mark +
                         b"Transfer-Encoding: chunked\r\n\r\n"
                         b"4\r\nbody\r\n0\r\nx-t: v\r\nx-u: w\r\n\r\n")
        elif name == "unknown":
            sock.sendall(b"HTTP/1.1 200 OK\r\n" + mark +
                         b"Transfer-Encoding: chunked\r\n\r\n" +
                         chunks(BODY[:int(rest)]) + b"0\r\n\r\n")
        elif name == "reset":
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" +
                         BODY[:int(rest)])
            break
        else:
            sock.sendall(b"HTTP/1.1 200 OK\r\n%sContent-Length: %s\r\n\r\n" %
                         (mark, rest.encode()) + BODY[:int(rest)])


# ---- servers of HTTP/2 that send away, and that go ----


class Leaving(H2Server):
    """Now and then a connection is sent away: what has come on it is answered, the rest is not."""
    every = 40

    def __init__(self, port):
        super().__init__(port)
        self.rnd = random.Random(args.seed)
        self.asked, self.connections = collections.deque(maxlen=1), collections.deque(maxlen=1)

    def before(self, c, stream):
        """A request is whole, and about to be answered."""
        if c.last is None and self.rnd.random() < 1 / self.every:
            c.last = c.h2.highest_inbound_stream_id
            c.goaway(c.last)
            count("sent away")


class Chaotic(Leaving):
    """Any of its streams is reset at any time, and any of its connections ends."""

    def before(self, c, stream):
        if self.rnd.random() < .05:
            victim = self.rnd.choice(list(c.streams))
            c.out.pop(victim, None)
            c.unless_reset(victim, c.rst, self.rnd.choice([0, 2, 7, 8]))
        elif self.rnd.random() < .02:
            c.goaway(self.rnd.choice([0, stream, max(c.streams)]), self.rnd.choice([0, 0, 1, 11]))
            self.end(c)
        elif self.rnd.random() < .02:
            c.sock.sendall(self.rnd.choice([b"\0", b"\0\x40\0\1\0\0\0\0\1half", b"\0\0\5\xee\0\0\0\0\0hello"]))
            self.end(c)

    def end(self, c):
        if self.rnd.random() < .5:
            ends_by_reset(c.sock)
        c.sock.shutdown(socket.SHUT_RDWR)


# ---- what is asked ----


class Ask:
    """One request, and what of the answer has been seen."""

    def __init__(self, rnd, most):
        self.mark = str(next(marks))
        self.name = rnd.choice(["n", "n", "unknown", "echo", "echo", "trailers", "reset"])
        self.size = rnd.choice([0, 1, rnd.randint(2, min(3000, most)), rnd.randint(2, most)])
        if self.name == "reset":
            self.size = min(self.size, 90000)
        self.to = rnd.choice("11223")
        self.path = f"/{self.to}/{self.name}"
        if self.name not in ("echo", "trailers"):
            self.path += f"/{self.size}"
        self.ends_with_fields = self.name == "echo" and rnd.random() < .3
        self.want = b"body" if self.name == "trailers" else BODY[:self.size]
        self.upload = BODY[:self.size] if self.name == "echo" else b""
        self.sent, self.got, self.trailers = 0, 0, None
        self.status, self.told = 0, None
        self.over = self.left = False

    def may_break(self):
        """By the server. Where it sends a request away of whose body a part has left, nobody can
        say that once more."""
        return self.to == "3" or self.name == "reset" or self.to == "2" and self.name == "echo"

    def data(self, piece):
        if self.status == 200 and piece != self.want[self.got:self.got + len(piece)]:
            fault(f"{self.path}: other bytes at {self.got}")
        self.got += len(piece)

    def head(self, fields):
        """Names in lower case."""
        self.status = int(fields[":status"])
        self.told = fields.get("x-trailer-x-mark")
        if self.status == 200 and self.name != "reset" and fields.get("x-ask") != self.mark:
            fault(f"{self.path}: the answer to {fields.get('x-ask')} instead of {self.mark}")
        if self.status != 200:
            self.want = BODY  # not judged
            if not self.may_break() or self.status != 502:
                fault(f"{self.path}: {fields}")

    def ended(self):
        self.over = True
        if self.status not in (0, 200):
            count("502")
            return
        count(self.name)
        if self.name == "reset":
            fault(f"{self.path}: cut short, and looks complete")
        elif self.got != len(self.want):
            fault(f"{self.path}: {self.got} of {len(self.want)} bytes")
        elif self.ends_with_fields and self.told != self.path + "v":
            fault(f"{self.path}: the server has seen {self.told} behind the body")
        elif self.name == "trailers" and self.trailers != [("x-t", "v"), ("x-u", "w")]:
            fault(f"{self.path}: trailers {self.trailers}")

    def broken(self, why):
        self.over = True
        count("left" if self.left else "broken")
        if not self.may_break() and not self.left:
            fault(f"{self.path}: {why} behind {self.got} of {self.size} bytes, {self.sent} sent, "
                  f"status {self.status}, trailers {self.ends_with_fields}")


class Tunnel:
    """Asks for one in vain, and sends bytes at once."""
    over = left = False
    ends_with_fields, size, sent, got, upload = False, 0, 0, 0, b""

    def __init__(self, rnd):
        self.path = f"/{rnd.choice('123')}/n/7"
        self.said = rnd.choice([
            b"POST /n/3 HTTP/1.1\r\nHost: a\r\nX-Ask: evil\r\nContent-Length: 0\r\n\r\n",
            b"GET /n/3 HTTP/1.1\r\nX-Ask: evil\r\nX-Rest: ", b"\0\0\0\4\0\0\0\0\0", b"0\r\n\r\n"])

    def data(self, piece):
        pass

    def head(self, fields):
        if fields[":status"][0] in "12":
            fault(f"a tunnel that nobody has agreed to: {fields}")

    def ended(self):
        self.over = True
        count("tunnels")

    def broken(self, why):
        self.ended()


class Client:
    """A connection of HTTP/2: streams begin, are left and end in any order."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.window = rnd.choice([1, 100, 16384, 65535, 1 << 20])
        self.most = min(400000, self.window * (4 if self.window < 256 else 100))
        self.sock = connect(args.front)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.h2 = H2Connection(H2Configuration(header_encoding="utf-8"))
        self.h2.local_settings = Settings(client=True, initial_values={
            SettingCodes.INITIAL_WINDOW_SIZE: self.window, SettingCodes.ENABLE_PUSH: 0})
        self.h2.initiate_connection()
        self.asks, self.ended, self.leaves, self.rest = {}, False, False, b""

    def begin(self):
        ask, stream = Ask(self.rnd, self.most), self.h2.get_next_available_stream_id()
        head = [(":method", "POST" if ask.name == "echo" else "GET"), (":scheme", "http"),
                (":path", ask.path), (":authority", "a"), ("te", "trailers"), ("x-ask", ask.mark)]
        # HTTP/1 has no fields behind a body of known length.
        if self.rnd.random() < .5 and ask.upload and not (ask.ends_with_fields and ask.to == "1"):
            head.append(("content-length", str(len(ask.upload))))
        self.h2.send_headers(stream, head, end_stream=not ask.upload and not ask.ends_with_fields)
        self.asks[stream] = ask
        if not ask.upload and ask.ends_with_fields:
            self.h2.send_headers(stream, [("x-mark", ask.path + "v")], end_stream=True)

    def tunnel(self):
        ask, stream = Tunnel(self.rnd), self.h2.get_next_available_stream_id()
        self.h2.send_headers(stream, [(":method", "CONNECT"), (":protocol", "websocket"),
                                      (":scheme", "http"), (":path", ask.path),
                                      (":authority", "a"), ("sec-websocket-version", "13")])
        self.asks[stream] = ask
        self.h2.send_data(stream, ask.said[:self.h2.local_flow_control_window(stream)],
                          end_stream=self.rnd.random() < .5)

    def upload(self, stream, ask):
        while ask.sent < len(ask.upload) and not ask.over:
            n = min(len(ask.upload) - ask.sent, self.h2.local_flow_control_window(stream),
                    self.h2.max_outbound_frame_size, self.rnd.choice([1, 1000, 20000]))
            if n <= 0:
                return
            ask.sent += n
            whole = ask.sent == len(ask.upload)
            self.h2.send_data(stream, ask.upload[ask.sent - n:ask.sent],
                              end_stream=whole and not ask.ends_with_fields)
            if whole and ask.ends_with_fields:
                self.h2.send_headers(stream, [("x-mark", ask.path + "v")], end_stream=True)
            if self.rnd.random() < .3:
                return

    def event(self, e):
        stream = getattr(e, "stream_id", None)
        ask = self.asks.get(stream)
        if isinstance(e, DataReceived):
            self.h2.acknowledge_received_data(e.flow_controlled_length, stream)
            if ask:
                ask.data(e.data)
        elif isinstance(e, ResponseReceived) and ask:
            ask.head(dict(e.headers))
        elif isinstance(e, TrailersReceived) and ask:
            ask.trailers = e.headers
        elif isinstance(e, StreamEnded) and ask:
            ask.ended()
            del self.asks[stream]
            if isinstance(ask, Tunnel):
                self.leave(stream)
        elif isinstance(e, StreamReset) and ask:
            ask.broken(f"RST_STREAM {e.error_code}")
            del self.asks[stream]

    def leave(self, stream):
        try:
            self.h2.reset_stream(stream, ErrorCodes.CANCEL)
        except (StreamClosedError, NoSuchStreamError):
            pass

    def leave_one(self):
        stream = self.rnd.choice(list(self.asks))
        ask = self.asks.pop(stream)
        ask.left = True
        ask.broken("")
        self.h2.reset_stream(stream, ErrorCodes.CANCEL)

    def go_away(self):
        """It has said that it leaves: what it has asked is answered still. (The library forgets its
        streams with GOAWAY of either side, so it hears of none.)"""
        self.leaves = True
        self.sock.sendall(self.h2.data_to_send() + b"\0\0\x08\7\0\0\0\0\0" + bytes(8))

    def events(self, data):
        self.rest += data
        while len(self.rest) >= 9 and len(self.rest) >= (n := 9 + int.from_bytes(self.rest[:3], "big")):
            frame, self.rest = self.rest[:n], self.rest[n:]
            if frame[3] != 7:
                yield from self.h2.receive_data(frame)
            elif not self.leaves or int.from_bytes(frame[13:17], "big"):
                self.ended = True
                fault(f"GOAWAY {frame[9:]}, window {self.window}")

    def turn(self, begin):
        # A window that is opened by a few bytes is a glitch: not so often that the calm ends.
        while begin and len(self.asks) < (2 if self.window < 256 else 8) and self.rnd.random() < .5:
            self.tunnel() if self.rnd.random() < .1 else self.begin()
        for stream, ask in list(self.asks.items()):
            self.upload(stream, ask)
        if self.asks and self.rnd.random() < .02:
            self.leave_one()
        self.sock.sendall(self.h2.data_to_send())
        if select.select([self.sock], [], [], .05)[0]:
            data = self.sock.recv(self.rnd.choice([1, 100, 65536]))
            if not data:
                self.ended = True
                for ask in self.asks.values():
                    ask.broken("end of the connection")
                return
            for e in self.events(data):
                self.event(e)
            self.sock.sendall(self.h2.data_to_send())


def h2_client(number, until_then):
    rnd = random.Random(args.seed * 1000 + number)
    while time.monotonic() < until_then:
        c, last = Client(rnd), time.monotonic() + rnd.random() * 2
        begun = time.monotonic()
        try:
            while not c.ended and (c.asks or time.monotonic() < last):
                c.turn(time.monotonic() < last)
                if time.monotonic() < last and rnd.random() < .005:
                    count("goaway")
                    c.go_away()
                    last = 0
                if rnd.random() < .0005:
                    break  # it leaves with streams open
                if time.monotonic() > begun + PATIENCE:
                    for ask in c.asks.values():
                        fault(f"{ask.path} hangs: {ask.sent} sent, {ask.got} received")
                    break
        except (OSError, ProtocolError) as e:
            fault(f"client {number}: {e!r}")
        c.sock.close()


class Answer(http.client.HTTPResponse):
    """The library throws trailers away."""
    trailers = None

    def _read_and_discard_trailer(self):
        self.trailers = [tuple(line.lower().split(": ")) for line in read_head(self.fp)]


def h1_ask(c, rnd, ask):
    c.putrequest("POST" if ask.name == "echo" else "GET", ask.path)
    c.putheader("TE", "trailers")
    c.putheader("X-Ask", ask.mark)
    if ask.name == "echo" and not ask.ends_with_fields:
        c.putheader("Content-Length", str(len(ask.upload)))
    elif ask.name == "echo":
        c.putheader("Transfer-Encoding", "chunked")
    c.endheaders()
    if ask.ends_with_fields:
        c.send(chunks(ask.upload) + b"0\r\nx-mark: %sv\r\n\r\n" % ask.path.encode())
    else:
        c.send(ask.upload)
    r = c.getresponse()
    ask.head({":status": r.status, **{n.lower(): v for n, v in r.getheaders()}})
    while piece := r.read1(rnd.choice([1, 1000, 65536])):
        ask.data(piece)
    ask.trailers = r.trailers
    r.close()
    if r.length:  # it ended before
        raise http.client.IncompleteRead(b"")


def h1_client(number, until_then):
    rnd = random.Random(args.seed * 1000 + number)
    while time.monotonic() < until_then:
        c = http.client.HTTPConnection(args.front, timeout=PATIENCE)
        c.response_class = Answer
        for _ in range(rnd.randint(1, 20)):
            ask = Ask(rnd, 400000)
            try:
                h1_ask(c, rnd, ask)
                ask.ended()
            except (OSError, http.client.HTTPException) as e:
                ask.broken(repr(e))
                break
        c.close()


def main():
    server, chaos = Leaving(address(args.h2)[1]), Chaotic(address(args.chaos)[1])
    serve_each(args.back, serve)
    then = time.monotonic() + args.seconds
    clients = [threading.Thread(target=h1_client if n % 4 == 3 else h2_client, args=(n, then))
               for n in range(args.clients)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    print("        " + " ".join(f"{k} {v}" for k, v in sorted(counts.items())))
    for text in faults[:20]:
        print("        " + text)
    check("each byte was where it belongs, and no stream hung", not faults)
    check("all kinds were seen", {"n", "unknown", "echo", "trailers", "broken", "left", "goaway", "sent away",
                                   "502"} <= set(counts))
    check("tunnels were asked for", counts.get("tunnels", 0) > 10)
    check(f"the server of HTTP/2 had no fault to find: {server.faults[:3]}", not server.faults)
    until("no stream is left", lambda: svc.ask("show sess").count("proto=") == 1)
    until("no pipe", lambda: svc.info()["PipesUsed"] == "0")
    finish()


main()
