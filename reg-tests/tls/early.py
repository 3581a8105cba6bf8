# SPDX-License-Identifier: BSD-2-Clause
"""Early data of TLS 1.3 as its client and as its server see them, with each flight in one's own
hands: OpenSSL by ctypes, on buffers in memory, so that a test decides what leaves, when, and
whether it is whole. Imported by early_*.sh; no certificate is verified."""
import ctypes
import ctypes.util
import os
import select
import socket
import threading

PATIENCE = 60
lib = ctypes.CDLL(os.environ.get("EARLY_LIBSSL") or ctypes.util.find_library("ssl") or "libssl.so.3")
crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
P, N, Z = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
CB = ctypes.CFUNCTYPE(N, P, P)
for owner, name, result, args in (
        (lib, "TLS_method", P, []), (lib, "SSL_CTX_new", P, [P]), (lib, "SSL_new", P, [P]),
        (lib, "SSL_free", None, [P]), (lib, "SSL_set_bio", None, [P, P, P]),
        (lib, "SSL_CTX_ctrl", ctypes.c_long, [P, N, ctypes.c_long, P]),
        (lib, "SSL_ctrl", ctypes.c_long, [P, N, ctypes.c_long, P]),
        (lib, "SSL_set_connect_state", None, [P]), (lib, "SSL_set_accept_state", None, [P]),
        (lib, "SSL_do_handshake", N, [P]), (lib, "SSL_get_error", N, [P, N]),
        (lib, "SSL_is_init_finished", N, [P]), (lib, "SSL_set_shutdown", None, [P, N]),
        (lib, "SSL_read_ex", N, [P, P, Z, P]), (lib, "SSL_write_ex", N, [P, P, Z, P]),
        (lib, "SSL_read_early_data", N, [P, P, Z, P]),
        (lib, "SSL_write_early_data", N, [P, P, Z, P]),
        (lib, "SSL_get_early_data_status", N, [P]), (lib, "SSL_session_reused", N, [P]),
        (lib, "SSL_get1_session", P, [P]), (lib, "SSL_set_session", N, [P, P]),
        (lib, "SSL_SESSION_dup", P, [P]), (lib, "SSL_SESSION_set_max_early_data", N, [P, ctypes.c_uint32]),
        (lib, "SSL_SESSION_get_max_early_data", ctypes.c_uint32, [P]),
        (lib, "SSL_CTX_set_max_early_data", N, [P, ctypes.c_uint32]),
        (lib, "SSL_CTX_set_recv_max_early_data", N, [P, ctypes.c_uint32]),
        (lib, "SSL_CTX_set_options", ctypes.c_uint64, [P, ctypes.c_uint64]),
        (lib, "SSL_set_alpn_protos", N, [P, ctypes.c_char_p, ctypes.c_uint]),
        (lib, "SSL_CTX_set_allow_early_data_cb", None, [P, CB, P]),
        (lib, "SSL_CTX_use_certificate_chain_file", N, [P, ctypes.c_char_p]),
        (lib, "SSL_CTX_use_PrivateKey_file", N, [P, ctypes.c_char_p, N]),
        (lib, "SSL_CTX_set_session_id_context", N, [P, ctypes.c_char_p, ctypes.c_uint]),
        (crypto, "BIO_new", P, [P]), (crypto, "BIO_s_mem", P, []), (crypto, "BIO_ctrl", ctypes.c_long, [P, N, ctypes.c_long, P]),
        (crypto, "BIO_read", N, [P, P, N]), (crypto, "BIO_write", N, [P, P, N]),
        (crypto, "ERR_clear_error", None, [])):
    f = getattr(owner, name)
    f.restype, f.argtypes = result, args
TLS13, WANT_READ, ZERO_RETURN = 0x304, 2, 6


def place(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def content_length(head):
    """None: it tells none."""
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return None


class Failed(Exception):
    """The other side has broken off, or the library refuses."""


class Tls:
    """One connection: what the library makes stays in out until it is sent."""

    def __init__(self, ctx, sock, server):
        self.sock, self.out, self.ahead, self.eof = sock, b"", b"", False
        self.sock.settimeout(PATIENCE)
        self.ssl = lib.SSL_new(ctx)
        self.rbio, self.wbio = crypto.BIO_new(crypto.BIO_s_mem()), crypto.BIO_new(crypto.BIO_s_mem())
        crypto.BIO_ctrl(self.rbio, 130, -1, None)  # BIO_set_mem_eof_return
        lib.SSL_set_bio(self.ssl, self.rbio, self.wbio)
        (lib.SSL_set_accept_state if server else lib.SSL_set_connect_state)(self.ssl)

    def collect(self):
        buf = ctypes.create_string_buffer(65536)
        while (n := crypto.BIO_read(self.wbio, buf, len(buf))) > 0:
            self.out += buf.raw[:n]
        return self.out

    def send(self, data=None):
        """What was made, or something else in its place."""
        self.collect()
        self.sock.sendall(self.out if data is None else data)
        self.out = b""

    def feed(self, most=65536):
        """Waits for bytes of the other side; False: it has closed."""
        try:
            data = self.sock.recv(most)
        except ConnectionResetError:
            data = b""
        if not data:
            self.eof = True
            return False
        crypto.BIO_write(self.rbio, data, len(data))
        return True

    def step(self, call, *args):
        """One call; True: done, False: it wants to read."""
        crypto.ERR_clear_error()
        r = call(self.ssl, *args)
        self.collect()
        if r == 1:
            return True
        if (why := lib.SSL_get_error(self.ssl, r)) == ZERO_RETURN:
            self.eof = True
        elif why != WANT_READ:
            raise Failed("error %d" % why)
        return False

    def handshake(self, send=True):
        """To its end; send False: what we would say last stays in out."""
        while not self.step(lib.SSL_do_handshake):
            if send:
                self.send()
            if self.eof or not self.feed():
                raise Failed("closed in the handshake")
        if send:
            self.send()

    def read(self, send=False):
        """Some bytes; empty: the end."""
        buf, n = ctypes.create_string_buffer(65536), Z()
        while not self.step(lib.SSL_read_ex, buf, 65536, ctypes.byref(n)):
            if send:
                self.send()
            if self.eof or not self.feed():
                return b""
        if send:
            self.send()
        return buf.raw[:n.value]

    def write(self, data, send=True):
        n = Z()
        if data and not self.step(lib.SSL_write_ex, data, len(data), ctypes.byref(n)):
            raise Failed("not written")
        if send:
            self.send()

    def waits(self, seconds):
        """Is there nothing to read within that time?"""
        return not select.select([self.sock], [], [], seconds)[0]

    def close(self):
        self.sock.close()
        lib.SSL_set_shutdown(self.ssl, 3)  # else the library takes the session for a bad one
        lib.SSL_free(self.ssl)
        self.ssl = None


class Client(Tls):
    ctx = None

    def __init__(self, to, session=None, max_early=None, alpn=None, name=None):
        if not Client.ctx:
            Client.ctx = lib.SSL_CTX_new(lib.TLS_method())
            lib.SSL_CTX_ctrl(Client.ctx, 123, TLS13, None)  # SSL_CTX_set_min_proto_version
        super().__init__(Client.ctx, socket.create_connection(place(to), PATIENCE), False)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if alpn:
            lib.SSL_set_alpn_protos(self.ssl, alpn, len(alpn))
        if name:
            lib.SSL_ctrl(self.ssl, 55, 0, name)  # SSL_set_tlsext_host_name
        if session:
            copy = lib.SSL_SESSION_dup(session)
            if max_early is not None:
                lib.SSL_SESSION_set_max_early_data(copy, max_early)
            lib.SSL_set_session(self.ssl, copy)

    def early(self, *pieces, send=True):
        """The first message and these pieces, each in records of its own."""
        for data in pieces:
            n = Z()
            if not self.step(lib.SSL_write_early_data, data, len(data), ctypes.byref(n)):
                raise Failed("not written early")
        if send:
            self.send()
        return self.out

    def accepted(self):
        """Were early data? Once the handshake is done."""
        return lib.SSL_get_early_data_status(self.ssl) == 2

    def head(self, send=False):
        """A head of a response, and what came with it."""
        said, self.ahead = self.ahead, b""
        while b"\r\n\r\n" not in said:
            if not (piece := self.read(send)):
                break
            said += piece
        return said

    def response(self, send=False):
        """A response whose Content-Length is told."""
        said = self.head(send)
        head, _, body = said.partition(b"\r\n\r\n")
        length = content_length(head)
        while length is not None and len(body) < length and (piece := self.read(send)):
            body += piece
        if length is not None:
            self.ahead, body = body[length:], body[:length]
        return head + b"\r\n\r\n" + body if said else b""


def session(to, request, **more):
    """One to be resumed: (session, what was answered)."""
    c = Client(to, **more)
    c.handshake()
    c.write(request)
    said = c.response()
    got = lib.SSL_get1_session(c.ssl)
    c.close()
    return got, said


class Server:
    """A server of TLS 1.3 with early data; connections that come with early data are noted in early
    (what was sent so) and all requests in requests: (early, head, body). refuses: the next ones are
    told no; breaks: as many are closed when they have spoken. answer(early, head, body): the
    response, which goes out before the client's Finished."""

    def __init__(self, pem, answer, limit=16384, to=("127.0.0.1", 0)):
        self.answer, self.refuses, self.breaks = answer, False, 0
        self.requests, self.connections = [], 0
        self.ctx = lib.SSL_CTX_new(lib.TLS_method())
        lib.SSL_CTX_ctrl(self.ctx, 123, TLS13, None)
        lib.SSL_CTX_use_certificate_chain_file(self.ctx, pem.encode())
        lib.SSL_CTX_use_PrivateKey_file(self.ctx, pem.encode(), 1)
        lib.SSL_CTX_set_session_id_context(self.ctx, b"x", 1)
        lib.SSL_CTX_set_options(self.ctx, 1 << 24)  # SSL_OP_NO_ANTI_REPLAY
        lib.SSL_CTX_set_max_early_data(self.ctx, limit)
        lib.SSL_CTX_set_recv_max_early_data(self.ctx, limit)
        self.allow = CB(lambda ssl, arg: not self.refuses)
        lib.SSL_CTX_set_allow_early_data_cb(self.ctx, self.allow, None)
        self.listener = socket.create_server(to, backlog=200)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            sock = self.listener.accept()[0]
            self.connections += 1
            threading.Thread(target=self.serve, args=(Tls(self.ctx, sock, True),), daemon=True).start()

    def serve(self, t):
        try:
            self.talk(t)
        except (Failed, OSError):
            pass
        t.sock.close()

    def respond(self, t, data, early):
        """Whole requests in data are answered; the rest is returned. A body is as long as its head
        says."""
        while b"\r\n\r\n" in data:
            head, _, rest = data.partition(b"\r\n\r\n")
            length = content_length(head) or 0
            if len(rest) < length:
                break
            body, data = rest[:length], rest[length:]
            self.requests.append((early, head, body))
            answer = self.answer(early, head, body)
            n = Z()
            call = lib.SSL_write_early_data if early and not lib.SSL_is_init_finished(t.ssl) else lib.SSL_write_ex
            if answer and not t.step(call, answer, len(answer), ctypes.byref(n)):
                raise Failed("not written")
            t.send()
        return data

    def talk(self, t):
        buf, n, data = ctypes.create_string_buffer(65536), Z(), b""
        if self.breaks:
            self.breaks -= 1
            t.feed()
            raise Failed("on purpose")
        while True:
            crypto.ERR_clear_error()
            r = lib.SSL_read_early_data(t.ssl, buf, 65536, ctypes.byref(n))
            t.send()
            if r == 1:
                data = self.respond(t, data + buf.raw[:n.value], True)
            elif r == 2:
                break
            elif lib.SSL_get_error(t.ssl, 0) != WANT_READ or not t.feed():
                raise Failed("early data")
        t.handshake()
        t.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while piece := t.read(True):
            data = self.respond(t, data + piece, False)
