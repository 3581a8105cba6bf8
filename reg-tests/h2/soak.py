# SPDX-License-Identifier: BSD-2-Clause
"""Run by soak.sh: clients of both protocols, servers of both, each byte judged by its place."""

import http.client
import random
import select
import socket
import threading
import time

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (ConnectionTerminated, DataReceived, ResponseReceived, StreamEnded,
                       StreamReset, TrailersReceived)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings

from h2_server import H2Server, body_of
from service import PATIENCE, Service, address, check, connect, finish, until

svc = Service(lambda p: (p.add_argument("--h2"), p.add_argument("--seconds", type=float),
                         p.add_argument("--clients", type=int), p.add_argument("--seed", type=int)))
args = svc.args
faults, lock = [], threading.Lock()
counts = {}
BODY = body_of(1 << 21)


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
    if "content-length" in fields:
        return f.read(int(fields["content-length"]))
    body = b""
    while fields.get("transfer-encoding") == "chunked":
        size = int(f.readline(), 16)
        body += f.read(size)
        if not size:
            read_head(f)  # trailers
            break
        f.readline()
    return body


def chunks(body):
    out, at = b"", 0
    while at < len(body):
        n = min(random.randint(1, 40000), len(body) - at)
        out += b"%x\r\n" % n + body[at:at + n] + b"\r\n"
        at += n
    return out


def serve(sock):
    f = sock.makefile("rb")
    try:
        while lines := read_head(f):
            fields = dict(line.lower().split(": ", 1) for line in lines[1:])
            body = read_body(f, fields)
            name, _, rest = lines[0].split()[1].strip("/").partition("/")
            if name == "echo":
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            elif name == "trailers":
                sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                             b"4\r\nbody\r\n0\r\nx-t: v\r\nx-u: w\r\n\r\n")
            elif name == "unknown":
                sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                             chunks(BODY[:int(rest)]) + b"0\r\n\r\n")
            elif name == "reset":
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" +
                             BODY[:int(rest)])
                break
            else:
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n" % rest.encode() +
                             BODY[:int(rest)])
    except (OSError, ValueError):
        pass
    sock.close()


def origin():
    listener = socket.create_server(address(args.back), backlog=1000)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


# ---- what is asked ----

class Ask:
    """One request, and what of the answer has been seen."""

    def __init__(self, rnd, most):
        self.name = rnd.choice(["n", "n", "unknown", "echo", "echo", "trailers", "reset"])
        self.size = rnd.choice([0, 1, rnd.randint(2, min(3000, most)), rnd.randint(2, most)])
        if self.name == "reset":
            self.size = min(self.size, 90000)
        self.to = rnd.choice("12")
        self.path = f"/{self.to}/{self.name}"
        if self.name not in ("echo", "trailers"):
            self.path += f"/{self.size}"
        self.want = b"body" if self.name == "trailers" else BODY[:self.size]
        self.upload = BODY[:self.size] if self.name == "echo" else b""
        self.sent, self.got, self.trailers = 0, 0, None
        self.over = self.left = False

    def data(self, piece):
        if piece != self.want[self.got:self.got + len(piece)]:
            fault(f"{self.path}: other bytes at {self.got}")
        self.got += len(piece)

    def ended(self):
        self.over = True
        count(self.name)
        if self.name == "reset":
            fault(f"{self.path}: cut short, and looks complete")
        elif self.got != len(self.want):
            fault(f"{self.path}: {self.got} of {len(self.want)} bytes")
        elif self.name == "trailers" and self.trailers != [("x-t", "v"), ("x-u", "w")]:
            fault(f"{self.path}: trailers {self.trailers}")

    def broken(self, why):
        self.over = True
        count("broken" if self.name == "reset" else "left" if self.left else "unexpected")
        if self.name != "reset" and not self.left:
            fault(f"{self.path}: {why} behind {self.got} bytes")


class Client:
    """A connection of HTTP/2: streams begin, are left and end in any order."""

    def __init__(self, rnd):
        self.rnd = rnd
        self.window = rnd.choice([1, 100, 16384, 65535, 1 << 20])
        # A window that is opened by a few bytes is a glitch: not so often that the calm ends.
        self.most = min(400000, self.window * (4 if self.window < 256 else 100))
        self.sock = connect(args.front)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.h2 = H2Connection(H2Configuration(header_encoding="utf-8"))
        self.h2.local_settings = Settings(client=True, initial_values={
            SettingCodes.INITIAL_WINDOW_SIZE: self.window, SettingCodes.ENABLE_PUSH: 0})
        self.h2.initiate_connection()
        self.asks, self.ended = {}, False

    def begin(self):
        ask, stream = Ask(self.rnd, self.most), self.h2.get_next_available_stream_id()
        head = [(":method", "POST" if ask.name == "echo" else "GET"), (":scheme", "http"),
                (":path", ask.path), (":authority", "a"), ("te", "trailers")]
        if self.rnd.random() < .5 and ask.upload:
            head.append(("content-length", str(len(ask.upload))))
        self.h2.send_headers(stream, head, end_stream=not ask.upload)
        self.asks[stream] = ask

    def upload(self, stream, ask):
        while ask.sent < len(ask.upload) and not ask.over:
            n = min(len(ask.upload) - ask.sent, self.h2.local_flow_control_window(stream),
                    self.h2.max_outbound_frame_size, self.rnd.choice([1, 1000, 20000]))
            if n <= 0:
                return
            ask.sent += n
            self.h2.send_data(stream, ask.upload[ask.sent - n:ask.sent],
                              end_stream=ask.sent == len(ask.upload))
            if self.rnd.random() < .3:
                return

    def event(self, e):
        stream = getattr(e, "stream_id", None)
        ask = self.asks.get(stream)
        if isinstance(e, ConnectionTerminated):
            self.ended = True
            fault(f"GOAWAY {e.error_code}, window {self.window}")
        elif isinstance(e, DataReceived):
            self.h2.acknowledge_received_data(e.flow_controlled_length, stream)
            if ask:
                ask.data(e.data)
        elif isinstance(e, ResponseReceived) and ask and dict(e.headers)[":status"] != "200":
            if not (ask.name == "reset" and dict(e.headers)[":status"] == "502"):
                fault(f"{ask.path}: {e.headers}")
        elif isinstance(e, TrailersReceived) and ask:
            ask.trailers = e.headers
        elif isinstance(e, StreamEnded) and ask:
            ask.ended()
            del self.asks[stream]
        elif isinstance(e, StreamReset) and ask:
            ask.broken(f"RST_STREAM {e.error_code}")
            del self.asks[stream]

    def leave_one(self):
        stream = self.rnd.choice(list(self.asks))
        ask = self.asks.pop(stream)
        ask.left = True
        ask.broken("")
        self.h2.reset_stream(stream, ErrorCodes.CANCEL)

    def turn(self, begin):
        while begin and len(self.asks) < 8 and self.rnd.random() < .5:
            self.begin()
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
            for e in self.h2.receive_data(data):
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
                if rnd.random() < .0005:
                    break  # it leaves with streams open
                if time.monotonic() > begun + PATIENCE:
                    for ask in c.asks.values():
                        fault(f"{ask.path} hangs: {ask.sent} sent, {ask.got} received")
                    break
        except (OSError, ProtocolError) as e:
            fault(f"client {number}: {e!r}")
        c.sock.close()


def h1_client(number, until_then):
    rnd = random.Random(args.seed * 1000 + number)
    while time.monotonic() < until_then:
        c = http.client.HTTPConnection(args.front, timeout=PATIENCE)
        for _ in range(rnd.randint(1, 20)):
            ask = Ask(rnd, 400000)
            try:
                c.request("POST" if ask.name == "echo" else "GET", ask.path, ask.upload or None,
                          {"TE": "trailers"})
                r = c.getresponse()
                if r.status == 502 and ask.name == "reset":
                    break
                ask.data(r.read())
                ask.trailers = [("x-t", "v"), ("x-u", "w")]  # the library throws them away
                ask.ended()
            except (OSError, http.client.HTTPException) as e:
                ask.broken(repr(e))
                break
        c.close()


def main():
    server = H2Server(address(args.h2)[1])
    threading.Thread(target=origin, daemon=True).start()
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
    check("all kinds were seen", {"n", "unknown", "echo", "trailers", "broken"} <= set(counts))
    check(f"the server of HTTP/2 had no fault to find: {server.faults[:3]}", not server.faults)
    until("no stream is left", lambda: svc.ask("show sess").count("proto=") == 1)
    until("no pipe", lambda: svc.info()["PipesUsed"] == "0")
    finish()


main()
