# SPDX-License-Identifier: BSD-2-Clause
"""Reading HTTP/1 strictly, checking bodies, TLS for two threads, and the ways to close a
connection."""
import ctypes
import os
import re
import socket
import ssl
import struct
import threading
import time
import zlib

libc = ctypes.CDLL(None)


class Bad(Exception):
    pass


class Gone(Exception):
    """The peer has closed (reset: by RST)."""

    def __init__(self, reset=False):
        self.reset = reset


class Reader:
    def __init__(self, sock, slow=None):
        self.sock, self.buf, self.slow = sock, b"", slow

    def more(self):
        if self.slow:
            time.sleep(self.slow)
        try:
            got = self.sock.recv(self.slow and 3000 or 65536)
        except (socket.timeout, TimeoutError):
            raise
        except ssl.SSLError:
            raise Gone(True)
        except OSError:
            raise Gone(True)
        if not got:
            raise Gone(False)
        self.buf += got

    def line(self):
        while b"\n" not in self.buf:
            if len(self.buf) > 200000:
                raise Bad("line too long")
            self.more()
        line, self.buf = self.buf.split(b"\n", 1)
        if not line.endswith(b"\r") or b"\r" in line[:-1] or b"\0" in line:
            raise Bad("line %r" % line[:100])
        return line[:-1]

    def take(self, n):
        while not self.buf:
            self.more()
        got, self.buf = self.buf[:n], self.buf[n:]
        return got

    def exactly(self, n):
        out = b""
        while len(out) < n:
            out += self.take(n - len(out))
        return out

    def head(self):
        start = self.line()
        if not re.match(rb"^[!-~][ -\xff]*$", start):
            raise Bad("start line %r" % start[:100])
        fields = []
        while True:
            line = self.line()
            if not line:
                return start, fields
            m = re.match(rb"^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f]*?)[ \t]*$", line)
            if not m:
                raise Bad("field %r" % line[:100])
            fields.append((m[1].lower(), m[2]))


def values(fields, name):
    return [v for n, v in fields if n == name]


def framing(fields):
    lengths, codings = values(fields, b"content-length"), values(fields, b"transfer-encoding")
    if len(lengths) > 1 or (lengths and codings) or len(codings) > 1:
        raise Bad("framing %r %r" % (lengths, codings))
    if codings and codings[0].lower() != b"chunked":
        raise Bad("coding %r" % codings)
    if lengths and not lengths[0].isdigit():
        raise Bad("length %r" % lengths)
    return "chunked" if codings else int(lengths[0]) if lengths else None


def body(rd, frame, sink):
    """Gives the body to sink, piece by piece. frame: a length, "chunked", "close"."""
    if frame == "chunked":
        while True:
            line = rd.line()
            m = re.match(rb"^([0-9a-fA-F]{1,16})[ \t]*(;.*)?$", line)
            if not m:
                raise Bad("chunk line %r" % line[:100])
            n = int(m[1], 16)
            if not n:
                while rd.line():
                    pass
                return
            while n:
                piece = rd.take(n)
                n -= len(piece)
                sink(piece)
            if rd.exactly(2) != b"\r\n":
                raise Bad("end of chunk")
    elif frame == "close":
        try:
            while True:
                sink(rd.take(1 << 20))
        except Gone as e:
            if e.reset:
                raise
    else:
        while frame:
            piece = rd.take(frame)
            frame -= len(piece)
            sink(piece)


class Checker:
    """Compares what comes with what must come."""

    def __init__(self, plan, way, coding=None):
        self.plan, self.way, self.at = plan, way, 0
        self.z = zlib.decompressobj(47 if coding == b"gzip" else 15) if coding else None
        self.raw = coding == b"deflate"
        self.first = True
        self.lenient = False

    def __call__(self, piece):
        if self.z:
            if self.first and self.raw and piece and piece[0] & 15 != 8:
                self.z = zlib.decompressobj(-15)
            self.first = False
            try:
                piece = self.z.decompress(piece)
            except zlib.error as e:
                raise Bad("compressed: %s" % e)
        if self.lenient:
            self.at += len(piece)
            return
        want = self.plan.body(self.way, self.at, len(piece))
        if piece != want:
            i = next(i for i in range(len(piece)) if piece[i] != want[i])
            raise Bad("body of %s (%s) differs at %d: %r instead of %r" %
                      (self.plan.ident, self.way, self.at + i, piece[i:i + 40], want[i:i + 40]))
        self.at += len(piece)


class Tls:
    """TLS over a socket for two threads, one that reads and one that writes; what SSLSocket is not
    made for."""

    def __init__(self, context, sock, server=False):
        self.sock, self.lock, self.order = sock, threading.Lock(), threading.Lock()
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=server)
        while True:
            try:
                self.tls.do_handshake()
                self.flush()
                break
            except ssl.SSLWantReadError:
                self.flush()
                self.feed()
            except ssl.SSLError:
                self.flush()
                raise OSError("handshake")

    def flush(self):
        data = self.outgoing.read()
        if data:
            self.sock.sendall(data)

    def feed(self):
        data = self.sock.recv(65536)
        with self.lock:
            self.incoming.write(data) if data else self.incoming.write_eof()

    def recv(self, n):
        while True:
            with self.lock:
                try:
                    return self.tls.read(n)
                except ssl.SSLWantReadError:
                    pass
                except ssl.SSLZeroReturnError:
                    return b""
                except ssl.SSLError:
                    raise OSError("broken")     # also: an end that was not announced
            self.feed()

    def sendall(self, data):
        with self.order:
            for at in range(0, len(data), 1 << 16):
                with self.lock:
                    self.tls.write(data[at:at + (1 << 16)])
                    out = self.outgoing.read()
                self.sock.sendall(out)

    def goodbye(self):
        """close_notify."""
        with self.order:
            with self.lock:
                try:
                    self.tls.unwrap()
                except (OSError, ValueError):
                    pass
                out = self.outgoing.read()
            quiet(self.sock.sendall, out)

    def __getattr__(self, name):
        return getattr(self.sock, name)


def reset(sock):
    quiet(sock.setsockopt, socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    close(sock)


def close(sock):
    quiet(sock.close)


def hang_up(sock):
    """FIN."""
    if isinstance(sock, Tls):
        sock.goodbye()
    quiet(lambda: libc.shutdown(sock.fileno(), 1))


def quiet(f, *args):
    try:
        f(*args)
    except (OSError, ValueError, Gone):
        pass


def reset_now(sock):
    """RST, while another thread reads."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s2 = socket.socket(fileno=os.dup(sock.fileno()))
        # AF_UNSPEC connect sends a RST at once
        libc.connect(s2.fileno(), struct.pack("H14x", 0), 16)
        s2.close()
    except OSError:
        pass
