# SPDX-License-Identifier: BSD-2-Clause
"""Clients of TLS of all kinds against one frontend of mode http and one of mode tcp.

    clients.py FRONT RAW ORIGIN FOLDER-OF-CERTIFICATES
"""
import hashlib
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import threading

from http1 import Reader
from service import check, finish

FRONT, RAW, ORIGIN = (a.rsplit(":", 1) for a in sys.argv[1:4])
FRONT, RAW, ORIGIN = ((host, int(port)) for host, port in (FRONT, RAW, ORIGIN))
CERTS = sys.argv[4]
PATIENCE = 60


def body(n):
    """n bytes that depend on their position."""
    block = b"".join(struct.pack(">I", i * 2654435761 & 0xFFFFFFFF) for i in range(0, 16384))
    return (block * (n // len(block) + 1))[:n]


class Origin(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 100

    def handle_error(self, request, client_address):
        """Clients break off."""


class Handler(socketserver.StreamRequestHandler):
    """GET /N: a body of N bytes; POST: the hash of the body."""

    def handle(self):
        while line := self.rfile.readline():
            method, path = line.split()[:2]
            length = 0
            while (field := self.rfile.readline()) not in (b"\r\n", b""):
                if field.lower().startswith(b"content-length:"):
                    length = int(field.split(b":")[1])
            if method == b"POST":
                digest = hashlib.sha256()
                while length and (piece := self.rfile.read1(min(length, 65536))):
                    digest.update(piece)
                    length -= len(piece)
                answer = digest.hexdigest().encode()
            else:
                answer = body(int(path[1:]))
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(answer) + answer)


def context(version=None, alpn=None):
    c = ssl.create_default_context(cafile=CERTS + "/ca.pem")
    if version:
        c.minimum_version = c.maximum_version = version
    if alpn:
        c.set_alpn_protocols(alpn)
    return c


def connect(to=FRONT, name="www.example.com", session=None, **kwargs):
    return context(**kwargs).wrap_socket(socket.create_connection(to, PATIENCE),
                                         server_hostname=name, session=session)


def get_head(path, more=""):
    return f"GET {path} HTTP/1.1\r\nHost: www.example.com\r\n{more}\r\n".encode()


def receive(s):
    """The body of one response."""
    got = Reader(s).message()
    return got and got[1]


def versions():
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        for to in FRONT, RAW:
            with connect(to, version=version) as s:
                s.sendall(get_head("/10000"))
                check(f"{s.version()}, {s.cipher()[0]}", receive(s) == body(10000))
    with connect(alpn=["h2", "http/1.1"]) as s:
        check("ALPN: what both know", s.selected_alpn_protocol() == "http/1.1")
    with connect(alpn=["spdy/1"]) as s:
        check("ALPN: nothing in common is no reason to refuse", s.selected_alpn_protocol() is None)
    with connect(name="other.example.com") as s:
        check("a name", s.getpeercert()["subject"][0][0][1] == "other")
    c = context(ssl.TLSVersion.TLSv1_2)
    c.set_ciphers("ECDHE-RSA-AES128-GCM-SHA256")
    with c.wrap_socket(socket.create_connection(FRONT, PATIENCE), server_hostname="www.example.com") as s:
        check("RSA for who knows no ECDSA", s.getpeercert()["subject"][0][0][1] == "rsa")
    with connect() as s:
        check("ECDSA for who knows both", s.getpeercert()["subject"][0][0][1] == "site")


def sessions():
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        c = context(version)
        with c.wrap_socket(socket.create_connection(FRONT, PATIENCE), server_hostname="www.example.com") as s:
            s.sendall(get_head("/1"))
            receive(s)
            session = s.session
        with c.wrap_socket(socket.create_connection(FRONT, PATIENCE), server_hostname="www.example.com",
                           session=session) as s:
            s.sendall(get_head("/5"))
            check(f"{s.version()}: a session is resumed", receive(s) == body(5) and s.session_reused)


def bodies():
    with connect() as s:
        sizes = [0, 1, 100, 16383, 16384, 16385, 65535, 65536, 100000, 1 << 20]
        for size in sizes:
            s.sendall(get_head(f"/{size}"))
            if receive(s) != body(size):
                check(f"a response of {size} bytes", False)
            s.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode() + body(size))
            if receive(s) != hashlib.sha256(body(size)).hexdigest().encode():
                check(f"a request of {size} bytes", False)
        check("requests and responses of all sizes on one connection", True)
    with connect() as s:
        s.sendall(get_head("/30000") * 20)
        check("twenty requests at once", all(receive(s) == body(30000) for _ in range(20)))
    wrong = []

    def one():
        with connect() as s:
            for _ in range(5):
                s.sendall(get_head("/200000"))
                if receive(s) != body(200000):
                    wrong.append(1)

    threads = [threading.Thread(target=one) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("sixteen clients at once", not wrong)


class Shredded:
    """TLS in memory, whose bytes leave as somebody else wishes."""

    def __init__(self, to, version=None):
        self.socket = socket.create_connection(to, PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.inward, self.outward = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context(version).wrap_bio(self.inward, self.outward, server_hostname="www.example.com")

    def step(self, call, send):
        while True:
            try:
                result = call()
            except ssl.SSLWantReadError:
                result = None
            send(self.socket, self.outward.read())
            if result is not None:
                return result
            self.inward.write(self.socket.recv(65536))

    def run(self, send):
        self.step(lambda: self.tls.do_handshake() or True, send)
        self.step(lambda: self.tls.write(get_head("/5000")), send)
        got = b""
        while len(got.partition(b"\r\n\r\n")[2]) < 5000:
            got += self.step(lambda: self.tls.read(65536), send)
        self.socket.close()
        return got.endswith(body(5000))


    def half_closed(self):
        """Ends its half without a word in TLS when it has asked: all of the answer, and
        close_notify."""
        self.step(lambda: self.tls.do_handshake() or True, socket.socket.sendall)
        self.tls.write(get_head("/500000", "Connection: close\r\n"))
        self.socket.sendall(self.outward.read())
        self.socket.shutdown(socket.SHUT_WR)
        got = b""
        try:
            while data := self.socket.recv(65536):
                self.inward.write(data)
            self.inward.write_eof()
            while piece := self.tls.read(65536):
                got += piece
        except (ConnectionError, ssl.SSLError) as e:
            print(f"instead, behind {len(got)} bytes: {e}")
            return False
        return got.endswith(body(500000))


def bytewise(s, data):
    for i in range(len(data)):
        s.sendall(data[i:i + 1])


def in_small_records(s, data):
    """The handshake's first record as many of 5 bytes (RFC 8446 5.1); the rest as it is."""
    if len(data) > 5 and data[0] == 22 and data[5] == 1:
        payload, data = data[5:5 + struct.unpack(">H", data[3:5])[0]], \
            data[5 + struct.unpack(">H", data[3:5])[0]:]
        for i in range(0, len(payload), 5):
            piece = payload[i:i + 5]
            s.sendall(b"\x16\x03\x01" + struct.pack(">H", len(piece)) + piece)
    s.sendall(data)


def refused(data):
    """What the server says to these bytes; it must end the connection."""
    with socket.create_connection(FRONT, PATIENCE) as s:
        try:
            s.sendall(data)
            answer = b""
            while piece := s.recv(1000):
                answer += piece
            return answer
        except ConnectionError:
            return b""


def handshakes():
    check("everything byte by byte", Shredded(FRONT).run(bytewise))
    check("a ClientHello in records of five bytes", Shredded(FRONT).run(in_small_records))
    check("no TLS at all: an alert, or nothing", refused(b"GET / HTTP/1.1\r\n\r\n")[:1] in (b"\x15", b""))
    check("a ClientHello without an end is not waited for",
          refused(b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + bytes(16380))[:1] in (b"\x15", b""))
    check("a record that is too long", refused(b"\x16\x03\x01\xff\xff" + bytes(70000))[:1] in (b"\x15", b""))


def ends():
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        with connect(version=version) as s:
            s.sendall(get_head("/300000", "Connection: close\r\n"))
            ok = receive(s) == body(300000)
            try:
                ok = ok and s.recv(1) == b""  # raises when close_notify is missing
            except ssl.SSLError:
                ok = False
            check(f"{s.version()}: a closed connection says so", ok)
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        for to, name in (FRONT, "http"), (RAW, "tcp"):
            check(f"{version.name}, mode {name}: a FIN without close_notify: all comes, and an end",
                  Shredded(to, version).half_closed())
    # The same with a session of TLS 1.2, kept by us: it is no reason to forget it.
    c = context(ssl.TLSVersion.TLSv1_2)
    c.options |= ssl.OP_NO_TICKET
    with c.wrap_socket(socket.create_connection(FRONT, PATIENCE), server_hostname="www.example.com") as s:
        s.sendall(get_head("/1"))
        receive(s)
        session = s.session
        s.shutdown(socket.SHUT_WR)
        s.recv(1)
    with c.wrap_socket(socket.create_connection(FRONT, PATIENCE), server_hostname="www.example.com",
                       session=session) as s:
        check("a session outlives a connection without close_notify", s.session_reused)
    # A client that is slower than all buffers, and closes its half when it has asked.
    with connect(RAW) as s:
        s.sendall(get_head("/3000000"))
        check("a slow reader gets all", receive(s) == body(3000000))


def new_keys_by_command():
    """s_client asks for new keys when a line begins with K."""
    with subprocess.Popen(["openssl", "s_client", "-connect", "%s:%d" % FRONT, "-tls1_3", "-brief",
                           "-CAfile", CERTS + "/ca.pem"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as client:
        ok = True
        for _ in range(3):
            client.stdin.write(b"K\n")
            client.stdin.flush()
            while b"KEYUPDATE" not in (line := client.stderr.readline()) and line:
                pass
            client.stdin.write(get_head("/40000"))
            client.stdin.flush()
            got = b""
            while len(got.partition(b"\r\n\r\n")[2]) < 40000 and (piece := client.stdout.read1(65536)):
                got += piece
            ok = ok and got.endswith(body(40000))
        client.kill()
    check("new keys between requests", ok)


def new_keys():
    try:
        from tlslite.api import HandshakeSettings, TLSConnection
        from tlslite.constants import KeyUpdateMessageType
    except ImportError:
        print("skipped: new keys (no tlslite-ng)")
        return
    settings = HandshakeSettings()
    settings.minVersion = settings.maxVersion = (3, 4)
    for asks in KeyUpdateMessageType.update_requested, KeyUpdateMessageType.update_not_requested:
        s = TLSConnection(socket.create_connection(FRONT, PATIENCE))
        s.handshakeClientCert(settings=settings, serverName="www.example.com")
        ok = True
        for _ in range(3):
            s.sendall(get_head("/60000"))
            for _ in s.send_keyupdate_request(asks):
                pass
            ok = ok and receive(s) == body(60000)
            data = body(60000)
            s.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + data[:30000])
            for _ in s.send_keyupdate_request(asks):
                pass
            s.sendall(data[30000:])
            ok = ok and receive(s) == hashlib.sha256(data).hexdigest().encode()
        s.close()
        check(f"new keys in the middle ({'of both' if asks else 'of one side'})", ok)


threading.Thread(target=Origin(ORIGIN, Handler).serve_forever, daemon=True).start()
for part in versions, sessions, bodies, handshakes, ends, new_keys_by_command, new_keys:
    part()
finish()
