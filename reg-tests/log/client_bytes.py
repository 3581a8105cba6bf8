# SPDX-License-Identifier: BSD-2-Clause
"""The clients and the collectors of client_bytes.sh."""
import base64
import ctypes
import os
import struct
import subprocess

from encoded_lib import Collector, shown, strict_json
from service import Service, check, connect, finish, to_the_end

FRONTS = "clear", "tls", "strict", "tcp"
service = Service(lambda p: [p.add_argument("--" + k) for k in FRONTS])
args = service.args
collectors = {name: Collector(os.path.join(args.dir, name))
              for name in ("clear", "clear.text", "h2", "h2.text", "tls", "tls.text", "tls.cert", "strict", "tcp")}
faults, seen = [], 0


def line(name, what):
    """The next line there, which is strict JSON."""
    global seen
    raw = collectors[name].line()
    seen += 1
    try:
        return strict_json(raw)
    except Exception as e:  # each of them is a line that no strict parser takes
        faults.append("%s, %s: %s: %r" % (name, what, e, raw[:300]))
        return {}


def text(name, what):
    global seen
    raw = collectors[name].line().rstrip(b"\n")
    seen += 1
    if not raw.startswith(b"text ") or any(c < 32 or c == 127 for c in raw):
        faults.append("%s, %s: a control character: %r" % (name, what, raw[:300]))


def expect(what, got, **wanted):
    for name, value in wanted.items():
        if got.get(name) != value:
            faults.append("%s: %s: %r, wanted %r" % (what, name, got.get(name), value))


# ---- HTTP/1 behind a PROXY header ---------------------------------------------------------------


def proxy_header(authority, unique):
    tlv = b"".join(bytes([kind]) + struct.pack(">H", len(v)) + v for kind, v in ((2, authority), (5, unique)))
    return (b"\r\n\r\n\0\r\nQUIT\n\x21\x11" + struct.pack(">H", 12 + len(tlv)) + b"\x7f\0\0\1\x7f\0\0\1\0\1\0\2" + tlv)


def ask(what, request, authority=b"a", unique=b"u"):
    with connect(args.clear) as c:
        c.sendall(proxy_header(authority, unique) + request)
        answer = to_the_end(c)
    got = line("clear", what)
    text("clear.text", what)
    return got, answer.startswith(b"HTTP/1.1 200")


def request(path=b"/", more=b"", body=b""):
    return (b"POST " + path + b" HTTP/1.1\r\nHost: h\r\n" + more + b"Content-Length: %u\r\nConnection: close\r\n\r\n"
            % len(body) + body)


for b in range(256):
    byte = bytes([b])
    name = "byte %u" % b
    pair = base64.b64encode(b"u" + byte + b"v:p" + byte + b"q")
    got, good = ask(name + ", the user", request(more=b"Authorization: Basic " + pair + b"\r\n", body=byte),
                    byte, b"i" + byte)
    if not good:
        faults.append(name + ": the user: not served")
    if b not in (0, 58):
        expect(name, got, user=shown(b"u" + byte + b"v"), **{"pass": shown(b"p" + byte + b"q")})
    expect(name, got, authority=shown(byte), body=shown(byte))
    for what, asked in (("path", request(b"/x" + byte + b"y?p=" + byte + b"z&q=" + byte)),
                        ("cookie", request(more=b"Cookie: c=a" + byte + b"b\r\n")),
                        ("a name", request(more=b"X-" + byte + b"n: v\r\n")),
                        ("a value", request(more=b"X-Odd: a" + byte + b"b\r\n")),
                        ("the host", request().replace(b"Host: h", b"Host: h" + byte + b"i")),
                        ("the method", request().replace(b"POST", b"PO" + byte + b"ST")),
                        ("the version", request().replace(b"HTTP/1.1", b"HTTP/1." + byte))):
        got, good = ask(name + ", " + what, asked)
        if good and what == "a value":
            expect(name, got, odd=shown(b"a" + byte + b"b"))
with connect(args.clear) as c:
    c.sendall(bytes(range(255, -1, -1)))
    to_the_end(c)
expect("no PROXY header", line("clear", "no PROXY header"), ip="127.0.0.1", authority=None)
text("clear.text", "no PROXY header")
check("requests in clear: no fault", not faults)


# ---- HTTP/2 ----------------------------------------------------------------------------------------

STATUS_400 = 0x80 | 12  # RFC 7541 6.1, appendix A


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def ask_h2(fields):
    block = b"".join(literal(n, v) for n, v in fields)
    with connect(args.front) as c:
        c.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 5, 1, block) +
                  frame(7, 0, 0, b"\0" * 8))
        said = to_the_end(c)
    served = False  # the stream was reset, or answered with 400: what came was no request
    while len(said) >= 9:
        served = served or said[3] == 1 and said[9] != STATUS_400
        said = said[9 + int.from_bytes(said[:3], "big"):]
    return served


before, served_h2 = len(faults), 0
for b in range(256):
    byte = bytes([b])
    usual = {b":method": b"GET", b":scheme": b"http", b":path": b"/", b":authority": b"h"}
    for what, changed in (("path", {b":path": b"/a" + byte + b"?p=" + byte}), ("authority", {b":authority": b"h" + byte}),
                          ("value", {b"x-odd": b"a" + byte + b"b"}), ("method", {b":method": b"G" + byte}),
                          ("cookie", {b"cookie": b"c=" + byte + b"d"}), ("name", {b"n" + byte: b"v"})):
        what = "HTTP/2, byte %u, %s" % (b, what)
        served = ask_h2(list({**usual, **changed}.items()))
        got = line("h2", what)
        text("h2.text", what)
        if not served:
            expect(what, got, r="<BADREQ>")
        elif b"x-odd" in changed:
            served_h2 += 1
            expect(what, got, odd=shown(b"a" + byte + b"b"))
check("requests by HTTP/2: no fault", len(faults) == before and served_h2 > 200)

# ---- TLS -------------------------------------------------------------------------------------------

lib = ctypes.CDLL("libssl.so.3")
for function in "TLS_client_method", "SSL_CTX_new", "SSL_new":
    getattr(lib, function).restype = ctypes.c_void_p
method = ctypes.c_void_p(lib.TLS_client_method())
CTRL_SET_TLSEXT_HOSTNAME, PEM = 55, 1


def tls(at, sni, certificate=None):
    """A real handshake with this server name, which may have any byte but NUL, and a request."""
    ctx = ctypes.c_void_p(lib.SSL_CTX_new(method))
    ssl = ctypes.c_void_p(lib.SSL_new(ctx))
    lib.SSL_ctrl(ssl, CTRL_SET_TLSEXT_HOSTNAME, ctypes.c_long(0), ctypes.c_char_p(sni))
    if certificate:
        assert lib.SSL_use_certificate_file(ssl, certificate.encode(), PEM) == 1
        assert lib.SSL_use_PrivateKey_file(ssl, certificate.encode(), PEM) == 1
    answer = b""
    with connect(at) as c:
        c.setblocking(True)
        lib.SSL_set_fd(ssl, c.fileno())
        if lib.SSL_connect(ssl) == 1:
            asked = b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            lib.SSL_write(ssl, asked, len(asked))
            memory = ctypes.create_string_buffer(65536)
            while (n := lib.SSL_read(ssl, memory, len(memory))) > 0:
                answer += memory.raw[:n]
        lib.SSL_free(ssl)
    lib.SSL_CTX_free(ctx)
    return answer


def hello(sni):
    entry = b"\0" + struct.pack(">H", len(sni)) + sni
    extensions = struct.pack(">HHH", 0, len(entry) + 2, len(entry)) + entry
    body = b"\x03\x03" + bytes(32) + b"\0\0\2\x13\x01\1\0" + struct.pack(">H", len(extensions)) + extensions
    return b"\x16\3\1" + struct.pack(">H", len(body) + 4) + b"\1" + struct.pack(">I", len(body))[1:] + body


before = len(faults)
for b in range(256):
    byte = bytes([b])
    sni = b"a" + byte + b"b"
    name = "TLS, byte %u" % b
    if b:
        served = tls(args.tls, sni).startswith(b"HTTP/1.1 200")
        got = line("tls", name)
        text("tls.text", name)
        line("tls.cert", name)
        if served:
            expect(name, got, tls_name=shown(sni), status=200, tls_resumed=False, connection_error=0, tls_error=0)
        else:
            faults.append(name + ": not served: %r" % got)
        tls(args.strict, sni)
        expect(name, line("strict", name), ip="127.0.0.1", sni=shown(sni))
    with connect(args.tcp) as c:
        c.sendall(hello(sni))
        to_the_end(c)
    line("tcp", name)

# Subjects of certificates.
letters = [chr(b) for b in range(1, 256)]
for i in range(0, 255, 51):
    escaped = "".join("\\" + c if c in "/\\+=," else c for c in letters[i:i + 51])
    pem = os.path.join(args.dir, "client.pem")
    subprocess.run([b"openssl", b"req", b"-x509", b"-newkey", b"ec", b"-pkeyopt", b"ec_paramgen_curve:P-256", b"-nodes",
                    b"-days", b"2", b"-utf8", b"-subj", b"/CN=" + escaped.encode(), b"-keyout", pem.encode(),
                    b"-out", pem.encode() + b".crt"], check=True, stderr=subprocess.DEVNULL)
    with open(pem, "ab") as f, open(pem + ".crt", "rb") as more:
        f.write(more.read())
    tls(args.tls, b"site.test", pem)
    name = "certificate %u" % i
    line("tls", name)
    text("tls.text", name)
    got = line("tls.cert", name)
    if not got.get("cn"):
        faults.append(name + ": %r" % got)
check("handshakes: no fault", len(faults) == before)
for fault in faults[:20]:
    print(fault)
check("%u lines, each of them whole" % seen, not faults)
finish()
