# SPDX-License-Identifier: BSD-2-Clause
"""
Each word of a server line, given to "add server": the driver of add_words.sh, which see. A row of
add_words.txt is

    <words> | <answer> | <what shows>

The answer is "ok" when all three take it, else three words, of HAProxy 2.6, of 2.8 and ours: ok or
no. Behind no of ours stands what its sentence has. What shows is looked at in all that took it:
name=value, where the name is code (of the response, 200 where the row has none; - asks nothing),
one of what the origin saw of the request (saw, sni, alpn, min, max, cert, from ...), check.<name>
of what it saw of the check, told (what the agent was sent), or a column of "show stat"; ours.<name>
is looked at in ours only. WAIT in the environment: seconds for each row.
"""

import os
import socket
import ssl
import struct
import threading
import time

from origin import serve_each
from service import PATIENCE, Service, address, check, connect, finish, free_ports, read_all

VERSIONS = {0x0300: "SSLv3", 0x0301: "TLSv1.0", 0x0302: "TLSv1.1", 0x0303: "TLSv1.2", 0x0304: "TLSv1.3"}
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def fields(data, width):
    """What stands behind its length, piece by piece."""
    while data:
        n = int.from_bytes(data[:width], "big")
        yield data[width:width + n]
        data = data[width + n:]


def hello(data):
    """What a ClientHello shows."""
    saw = {"saw": "tls"}
    at = 5 + 4
    low = high = int.from_bytes(data[at:at + 2], "big")
    at += 34
    at += 1 + data[at]
    n = int.from_bytes(data[at:at + 2], "big")
    ciphers = data[at + 2:at + 2 + n]
    saw["ciphers"] = ",".join(f"{c:04x}" for c in struct.unpack(f">{n // 2}H", ciphers) if c != 0xff)
    at += 2 + n
    at += 1 + data[at]
    end = at + 2 + int.from_bytes(data[at:at + 2], "big")
    at += 2
    while at + 4 <= end:
        kind, n = struct.unpack(">HH", data[at:at + 4])
        body = data[at + 4:at + 4 + n]
        at += 4 + n
        if kind == 0:
            saw["sni"] = body[5:].decode()
        elif kind == 16:
            saw["alpn"] = ",".join(f.decode() for f in fields(body[2:], 1))
        elif kind == 13172:
            saw["npn"] = "yes"
        elif kind == 35:
            saw["ticket"] = "yes"
        elif kind == 41:
            saw["resumes"] = "yes"
        elif kind == 13:
            saw["sigalgs"] = body[2:].hex()
        elif kind == 43:
            all_of = struct.unpack(f">{(n - 1) // 2}H", body[1:])
            low, high = min(all_of), max(all_of)
    saw["min"], saw["max"] = VERSIONS.get(low, hex(low)), VERSIONS.get(high, hex(high))
    return saw


class Origin:
    """Answers on one port whatever comes: PROXY headers, TLS, HTTP/1 and HTTP/2; keeps what it saw
    of each path."""

    def __init__(self, where, certs):
        self.saw = {}
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        self.tls.set_ciphers("ALL:@SECLEVEL=0")
        self.tls.load_cert_chain(certs + "/leaf.pem")
        self.tls.load_verify_locations(certs + "/ca.pem")
        self.tls.verify_mode = ssl.CERT_OPTIONAL
        self.tls.set_alpn_protocols(["h2", "http/1.1"])
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(address(where))
        self.listener.listen(100)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            s, peer = self.listener.accept()
            threading.Thread(target=self.serve, args=(s, peer[0]), daemon=True).start()

    def serve(self, s, peer):
        try:
            self.speak(s, {"saw": "plain", "from": peer})
        except (OSError, ValueError, IndexError, struct.error):
            pass
        finally:
            s.close()

    @staticmethod
    def peek(s, n):
        return s.recv(n, socket.MSG_PEEK | socket.MSG_WAITALL)

    def header(self, s, saw):
        start = self.peek(s, 6)
        if start == b"PROXY ":
            line = b""
            while not line.endswith(b"\r\n"):
                line += s.recv(1)
            saw["proxy"] = "1"
        elif start == SIGNATURE[:6]:
            head = s.recv(16, socket.MSG_WAITALL)
            rest = s.recv(int.from_bytes(head[14:], "big"), socket.MSG_WAITALL)
            tlvs, found = rest[12:], []
            while len(tlvs) >= 3:
                found.append(f"{tlvs[0]:02x}")
                tlvs = tlvs[3 + int.from_bytes(tlvs[1:3], "big"):]
            saw["proxy"] = "2"
            saw["tlvs"] = ",".join(found)

    def speak(self, s, saw):
        self.header(s, saw)
        if self.peek(s, 1) == b"\x16":
            size = 5 + int.from_bytes(self.peek(s, 5)[3:], "big")
            saw.update(hello(self.peek(s, size)))
            s = self.tls.wrap_socket(s, server_side=True)
            saw["ver"] = s.version()
            cert = s.getpeercert()
            if cert:
                saw["cert"] = cert["subject"][0][0][1]
            saw["reused"] = "yes" if s.session_reused else "no"
        got = b""
        while piece := s.recv(65536):
            got += piece
            if got.startswith(b"PRI * HTTP/2.0") and len(got) > 24:
                saw["http"] = "2"
                self.frames(s, got[24:], saw)
                return
            if b"\r\n\r\n" in got:
                saw.setdefault("http", "1")
                head, got = got.split(b"\r\n\r\n", 1)
                path = head.split()[1].decode()
                if b"cookie:" in head.lower():
                    saw["cookie"] = head.lower().split(b"cookie: ")[1].split(b"\r\n")[0].decode()
                if b"upgrade: websocket" in head.lower():
                    saw["upgrade"] = "websocket"
                self.saw[path] = dict(saw)
                status = b"503 No" if path == "/failing" else b"200 OK"
                s.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: 2\r\n\r\nok")
                saw["again"] = "yes"

    def frames(self, s, got, saw):
        """Each request of HTTP/2 is answered with 200; paths are not decoded."""
        s.sendall(b"\0\0\0\4\0\0\0\0\0")
        while True:
            while len(got) < 9 or len(got) < 9 + int.from_bytes(got[:3], "big"):
                piece = s.recv(65536)
                if not piece:
                    return
                got += piece
            size, kind, flags, stream = int.from_bytes(got[:3], "big"), got[3], got[4], got[5:9]
            got = got[9 + size:]
            if kind == 4 and not flags & 1:
                s.sendall(b"\0\0\0\4\1\0\0\0\0")
            if kind == 1:
                self.saw["h2"] = dict(saw)
                s.sendall(b"\0\0\1\1\5" + stream + b"\x88")


class Agent:
    """Says what its table of ports says, and keeps what it was told."""

    def __init__(self):
        self.port = free_ports(1)[0]
        self.told = []
        serve_each(f"127.0.0.1:{self.port}", self.answer)

    def answer(self, c):
        c.settimeout(0.05)
        try:
            self.told.append(c.recv(100).decode())
        except OSError:
            self.told.append("")
        c.sendall(b"33%\n")


OURS = 2
NAMES = "HAProxy 2.6", "HAProxy 2.8", "ours"


class Row:
    def __init__(self, line):
        parts = [part.strip() for part in line.split("|")]
        self.words, answer = parts[0], parts[1] if len(parts) > 1 else "ok"
        self.shows = {"code": "200"}
        for token in (parts[2] if len(parts) > 2 else "").split():
            name, value = token.split("=", 1)
            if not name.startswith("ours."):
                self.shows[name] = value
            elif who == OURS:
                self.shows[name[5:]] = value
        self.sentence = ""
        if answer == "ok":
            self.answers = ["ok"] * 3
        else:
            three = answer.split(None, 3)
            self.answers = three[:3]
            self.sentence = three[3] if len(three) > 3 else ""


def options(parser):
    parser.add_argument("--who", type=int)
    parser.add_argument("--certs")
    parser.add_argument("--table")


service = Service(options)
certs = service.args.certs
who = service.args.who
WAIT = float(os.environ.get("WAIT", PATIENCE))
origin = Origin(service.args.back, certs)
agent = Agent()
port = address(service.args.back)[1]


def request(n):
    origin.saw.pop(f"/{n}", None)
    origin.saw.pop("h2", None)
    s = connect(service.args.front)
    s.sendall(f"GET /{n} HTTP/1.1\r\nHost: host.example\r\nConnection: close\r\n\r\n".encode())
    got = read_all(s).split(b"\r\n")[0].split()
    saw = dict(origin.saw.get(f"/{n}") or origin.saw.get("h2") or {})
    saw["code"] = got[1].decode() if len(got) > 1 else "none"
    saw["http"] = saw.get("http", "-")
    return saw


def seen(server, n, wanted):
    row = service.stat("b", server)
    found = request(n) if wanted["code"] != "-" else {}
    found.update({"check." + k: v for k, v in origin.saw.get("/check", {}).items()})
    found.update({k: v for k, v in row.items() if k in wanted})
    found["told"] = agent.told[-1] if agent.told else "-"
    return found


def holds(found, wanted):
    return all(found.get(name, "-") == value for name, value in wanted.items())


def judge(n, row):
    server = f"s{n}"
    words = row.words.replace("@certs", certs).replace("@port", str(port)).replace("@agent", str(agent.port))
    where = service.args.back
    if words.startswith("at "):
        _, where, words = (words + " ").split(" ", 2)
    said = " ".join(service.ask(f"add server b/{server} {where} {words}").split())
    wanted = row.answers[who]
    took = "New server registered" in said
    check(f"{NAMES[who]}: {row.words}: {'taken' if took else said}",
          took == (wanted == "ok") and (who != OURS or took or row.sentence in said))
    if not took:
        return
    origin.saw.pop("/check", None)
    del agent.told[:]
    service.ask(f"enable server b/{server}")
    if "check" in words.split():
        service.ask(f"enable health b/{server}")
    if "agent-check" in words:
        service.ask(f"enable agent b/{server}")
    end = time.monotonic() + WAIT
    found = seen(server, n, row.shows)
    while not holds(found, row.shows) and time.monotonic() < end:
        time.sleep(0.02)
        found = seen(server, n, row.shows)
    check(f"    {' '.join(f'{k}={v}' for k, v in row.shows.items())}", holds(found, row.shows))
    if not holds(found, row.shows):
        print("       ", " ".join(f"{k}={v}" for k, v in found.items()))
    service.ask(f"disable agent b/{server}; disable health b/{server}; disable server b/{server}")
    end = time.monotonic() + WAIT
    while "deleted" not in (said := service.ask(f"del server b/{server}")) and time.monotonic() < end:
        time.sleep(0.02)
    if "deleted" not in said:
        check(f"    it can go: {said.strip()}", False)


with open(service.args.table) as f:
    rows = [Row(line) for line in f.read().splitlines() if line.strip() and not line.startswith("#")]
for n, row in enumerate(rows, 1):
    judge(n, row)
finish()
