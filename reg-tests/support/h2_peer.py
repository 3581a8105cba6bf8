# SPDX-License-Identifier: BSD-2-Clause
"""
Servers of HTTP/2 for health checks, which write frames as they like: for each case of a table one
backend, asked once, and one server. Compares the line of the log, and what the server was asked.
Run by http2.sh and others: TABLE.py PROGRAM FOLDER [CERTIFICATE]. With a program called haproxy its
results are those of a case's `reference'.
"""

import os
import re
import socket
import ssl
import subprocess
import sys
import time

import frames
from frames import DATA, END_STREAM, HEADERS, PREFACE, Frame, frame, settings
from origin import serve_each
from sockets import server_with

DEADLINE = 120
OURS = "no word of the reference"


class Gone(Exception):
    pass


class Peer:
    """The server's side of one connection."""

    def __init__(self, sock):
        self.sock, self.rest, self.seen = sock, b"", []
        self.body, self.fields = b"", None
        self.port = sock.getsockname()[1]
        self.alpn = sock.selected_alpn_protocol() if isinstance(sock, ssl.SSLSocket) else None

    def send(self, data):
        self.sock.sendall(data)

    def slowly(self, data):
        """One byte at a time."""
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in data:
            self.sock.sendall(bytes([byte]))

    def more(self):
        got = self.sock.recv(65536)
        if not got:
            raise Gone
        self.rest += got

    def preface(self):
        while len(self.rest) < len(PREFACE):
            self.more()
        if not self.rest.startswith(PREFACE):
            raise Gone
        self.rest = self.rest[len(PREFACE):]

    def frame(self):
        while len(self.rest) < 9 or len(self.rest) < 9 + int.from_bytes(self.rest[:3], "big"):
            self.more()
        length = int.from_bytes(self.rest[:3], "big")
        f = Frame(self.rest[3], self.rest[4], int.from_bytes(self.rest[5:9], "big"),
                  self.rest[9:9 + length])
        self.rest = self.rest[9 + length:]
        self.seen.append(f)
        if f.kind == HEADERS:
            self.fields = read_fields(f.payload)
        elif f.kind == DATA:
            self.body += f.payload
        return f

    def wait(self, kind, flags=0):
        while True:
            f = self.frame()
            if f.kind == kind and f.flags & flags == flags:
                return f

    def request(self, first=None):
        """To its end."""
        self.preface()
        self.send(settings() if first is None else first)
        while True:
            f = self.frame()
            if f.kind in (HEADERS, DATA) and f.flags & END_STREAM:
                return

    def answer(self, status=200, fields=(), body=None, trailers=None):
        self.send(answer(status, fields, body, trailers))

    def drain(self):
        while True:
            self.more()


def read_fields(payload):
    try:
        return frames.read_block(payload)
    except AssertionError:
        return None  # the reference's Huffman code


def answer(status=200, fields=(), body=None, trailers=None):
    ends = body is None and trailers is None
    out = frames.headers(1, [(":status", str(status)), *fields], ends)
    if body is not None:
        out += frame(DATA, 0 if trailers is not None else END_STREAM, 1, body)
    if trailers is not None:
        out += frames.headers(1, list(trailers), True)
    return out


def says(status=200, fields=(), body=None, trailers=None):
    """A server of a Case: this answer, behind the request."""
    def serve(p):
        p.request()
        p.answer(status, fields, body, trailers)
    return serve


class Case:
    def __init__(self, name, rules, serve, wanted, words="check-proto h2", tls=None, asked=None,
                 reference=None):
        """serve: a function of a Peer. wanted: how the line of the log goes on. words: of the
        server line. asked: a function of the Peer, which is to be true. tls: the protocols that the
        server knows by ALPN. reference: what HAProxy 2.6 says instead."""
        self.name, self.rules, self.serve, self.wanted = name, rules, serve, wanted
        self.words, self.tls, self.asked = words, tls, asked
        self.reference = reference or wanted
        self.peers = []
        self.sock = socket.create_server(("127.0.0.1", 0), backlog=20)
        self.port = self.sock.getsockname()[1]

    def start(self, certificate):
        serve_each(self.sock, self.talk, None if self.tls is None else server_with(certificate, *self.tls))


    def talk(self, client):
        peer = Peer(client)
        self.peers.append(peer)
        try:
            self.serve(peer)
            peer.drain()
        except Gone:
            pass

    def config(self):
        slow = "timeout" in self.wanted
        return ["backend " + self.name, "\tmode http", "\toption log-health-checks",
                "\ttimeout check " + ("2s" if slow else "%ds" % DEADLINE)] + \
            ["\t" + r.replace("$P", str(self.port)) for r in self.rules] + \
            ["\tserver s 127.0.0.1:%d check inter %ds %s" % (self.port, DEADLINE, self.words)]


LINE = re.compile(r"Health check for server (\S+)/s (.*)")


def said(path):
    lines = {}
    for line in open(path, errors="replace"):
        m = LINE.search(line)
        if m:
            lines.setdefault(m.group(1), re.sub(r",? ?check duration: \d+ms.*", "", m.group(2)))
    return lines


def most_memory(pid):
    """kB; 0: it cannot be told."""
    try:
        with open("/proc/%d/status" % pid) as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))
    except (OSError, AttributeError):
        return 0


def run(program, folder, cases):
    config = ["global", "\tmaxconn 100", "\tstats socket " + folder + "/stats",
              "\tmax-spread-checks 1", "\tssl-server-verify none",
              "defaults", "\ttimeout connect 60s", "\ttimeout client 60s", "\ttimeout server 60s"]
    for case in cases:
        config += case.config()
    with open(folder + "/cfg", "w") as f:
        f.write("\n".join(config) + "\n")
    log = folder + "/said"
    with open(log, "w") as f:
        process = subprocess.Popen([program, "-db", "-f", folder + "/cfg"], stdout=f, stderr=f)
    end = time.monotonic() + DEADLINE
    wait = {c.name for c in cases}
    while time.monotonic() < end and wait - said(log).keys() and process.poll() is None:
        time.sleep(0.1)
    lines = said(log)
    memory = most_memory(process.pid)
    process.terminate()
    code = process.wait()
    text = open(log, errors="replace").read()
    if code not in (0, 143, -15) or not lines or "Sanitizer" in text or "runtime error" in text:
        print(text)
        return None, 0
    return lines, memory


def main(cases, most=0):
    """most: kB that the program may take for all of them."""
    program, folder = sys.argv[1:3]
    certificate = sys.argv[3] if len(sys.argv) > 3 else None
    reference = "haproxy" in os.path.basename(program)
    cases = [c for c in cases if (certificate or c.tls is None) and not (reference and c.reference == OURS)]
    for case in cases:
        case.start(certificate)
    lines, memory = run(program, folder, cases)
    bad = lines is None
    for case in cases if lines else ():
        got, wanted = lines.get(case.name), case.reference if reference else case.wanted
        peer = case.peers[0] if case.peers else None
        if got != wanted:
            bad += 1
            print("%s:\n  %s\n  wanted %s" % (case.name, got, wanted))
        elif not reference and case.asked and not (peer and case.asked(peer)):
            bad += 1
            print("%s: was asked %s %r" % (case.name, peer and peer.fields, peer and peer.body))
    if most and memory > most and not os.environ.get("SANITIZED"):
        bad += 1
        print("it took %d kB, %d at most" % (memory, most))
    print("%d kB" % memory)
    print("%d cases, %d wrong" % (len(cases), bad))
    return bad != 0
