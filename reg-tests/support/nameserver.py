# SPDX-License-Identifier: BSD-2-Clause
"""A name server on loopback, whose answers a test decides: over UDP and TCP, port 53 of a network
namespace or another one. What it is asked is counted."""
import collections
import socket
import struct
import threading

from http1 import Reader
from origin import serve_each

A, CNAME, AAAA, SRV = 1, 5, 28, 33
NOERROR, FORMERR, SERVFAIL, NXDOMAIN, REFUSED = 0, 1, 2, 3, 5
SILENT, GARBAGE, FORGED, ROUND = "silent", "garbage", "forged", "round"
WORDS = SILENT, GARBAGE, FORGED, ROUND
ESTABLISHED = 1  # of the kernel's states of a connection


def encode(name):
    return b"".join(bytes([len(part)]) + part.encode() for part in name.split(".")) + b"\0"


def decode(packet):
    """Name and type of the only question, and where it ends."""
    at, parts = 12, []
    while packet[at]:
        parts.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
        at += packet[at] + 1
    kind = struct.unpack("!H", packet[at + 1:at + 3])[0]
    return ".".join(parts).lower(), kind, at + 5


def stands(s):
    """The connection's other end has not left it: a thread notices that later than the kernel."""
    try:
        return s.family == socket.AF_UNIX or s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == ESTABLISHED
    except OSError: # closed, or become a part of a connection with TLS
        return False


class NameServer:
    """zone: a name's addresses (a list of texts) or services (of tuples: priority, weight, port,
    host), a code, SILENT, GARBAGE, FORGED (others answer first) or ROUND (names that point to
    themselves), or another name (an alias); a test may change it while it runs. ttl: of what it
    answers. cut: names whose answers do not fit over UDP. additional: with services come the
    addresses of their hosts. port 0: a free one, which .port tells. context: of TLS, which is
    spoken over TCP."""

    def __init__(self, zone, address="127.0.0.1", ttl=1, cut=(), port=53, additional=False, context=None):
        self.context = context
        self.zone, self.ttl, self.cut, self.additional = dict(zone), ttl, set(cut), additional
        self.silent = False  # to all
        self.asked, self.by_tcp = collections.Counter(), collections.Counter()
        self.seen, self.ids = collections.Counter(), []  # over UDP: ports that asked; numbers of questions
        self.peers, self.open, self.most = [], 0, 0  # over TCP: addresses; connections now, and at most
        self.living = []
        while not self.bind(address, port):
            pass
        self.tcp.listen(100)
        threading.Thread(target=self.datagrams, daemon=True).start()
        serve_each(self.tcp, self.serve)

    def bind(self, address, port):
        """Both sockets, on one port. False: somebody else had it, another one may be free."""
        self.tcp = socket.socket()
        self.tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.tcp.bind((address, port))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.udp.bind((address, self.port))
        except OSError:
            if port:
                raise
            return False
        return True

    def records(self, name, kind):
        """The answers' resource records, and the code."""
        has, records, met = self.zone.get(name, NXDOMAIN), [], {name}
        while isinstance(has, str) and has not in WORDS:
            records.append(encode(name) + struct.pack("!HHIH", CNAME, 1, self.ttl, len(encode(has))) + encode(has))
            if has in met:
                return records, NOERROR
            met.add(has)
            name, has = has, self.zone.get(has, NXDOMAIN)
        if isinstance(has, int):
            return [], has
        for text in has if isinstance(has, list) else ["127.0.0.1"]:
            if isinstance(text, tuple):
                data = struct.pack("!HHH", *text[:3]) + encode(text[3])
                if kind == SRV:
                    records.append(encode(name) + struct.pack("!HHIH", SRV, 1, self.ttl, len(data)) + data)
                continue
            v6 = ":" in text
            if (kind == AAAA) != v6:
                continue
            data = socket.inet_pton(socket.AF_INET6 if v6 else socket.AF_INET, text)
            records.append(encode(name) + struct.pack("!HHIH", kind, 1, self.ttl, len(data)) + data)
        return records, NOERROR

    def answer(self, packet, tcp):
        name, kind, end = decode(packet)
        self.asked[name, kind] += 1
        self.by_tcp[name, kind] += tcp
        has = self.zone.get(name)
        if has == SILENT or self.silent:
            return []
        if has == GARBAGE:
            return [packet[:2] + b"\x81\x80" + b"\xff" * 30]
        if has == ROUND:  # one points to itself, two point to each other
            loops = [b"\xc0" + bytes([end]), b"\xc0" + bytes([end + 18]) + struct.pack("!HHIH", A, 1, 1, 4) + b"\x7f\0\0\x42" +
                     b"\x01a\xc0" + bytes([end])]
            at = self.asked[name, kind] % 2
            return [packet[:2] + struct.pack("!HHHHH", 0x8180, 1, 1 + at, 0, 0) + packet[12:end] + loops[at] +
                    struct.pack("!HHIH", A, 1, 1, 4) + b"\x7f\0\0\x42"]
        records, code = self.records(name, kind)
        cut = not tcp and name in self.cut
        body = b"".join(records) if not cut else b""
        more = []
        if self.additional and kind == SRV and not code and isinstance(has, list):
            for service in has:
                more += self.records(service[3], A)[0] + self.records(service[3], AAAA)[0]
        head = struct.pack("!HHHHH", 0x8180 | cut << 9 | code, 1, 0 if cut else len(records), 0, len(more))
        right = packet[:2] + head + packet[12:end] + body + b"".join(more)
        if has != FORGED:
            return [right]
        # Somebody else's answers come first: another number, another question.
        evil = body.replace(socket.inet_aton("127.0.0.1"), socket.inet_aton("127.0.0.66"))
        other = bytes([packet[0] ^ 0x55]) + packet[1:2]
        question = packet[12:end].replace(b"forged", b"fooled")
        return [other + head + packet[12:end] + evil, packet[:2] + head + question + evil, right]

    def datagrams(self):
        while True:
            packet, peer = self.udp.recvfrom(4096)
            self.seen[peer[1]] += 1
            self.ids.append(packet[0] << 8 | packet[1])
            answers = self.answer(packet, False)
            if len(answers) > 1:  # and what would be the best of all, from another port
                self.stranger.sendto(packet[:2] + answers[0][2:], peer)
            for answer in answers:
                self.udp.sendto(answer, peer)

    def serve(self, s):
        own = s
        self.open += 1
        self.living.append(own)
        self.most = max(self.most, sum(stands(each) for each in self.living))
        try:
            if s.family != socket.AF_UNIX:
                self.peers.append(s.getpeername()[0])
            if self.context:
                s = self.context.wrap_socket(s, server_side=True)
            self.converse(Reader(s))
        except OSError:
            pass
        self.open -= 1
        self.living.remove(own)
        s.close()

    def converse(self, r):
        while size := r.exactly(2):
            asked = r.exactly(struct.unpack("!H", size)[0])
            for answer in self.answer(asked, True) if asked else ():
                r.s.sendall(struct.pack("!H", len(answer)) + answer)
