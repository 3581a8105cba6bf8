# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of configurations of examples/ have in common: a network of their own, where the
addresses are local, an origin behind each server, and Penstock. They are called as

    examples.py PENSTOCK FOLDER-OF-EXAMPLES FOLDER-FOR-FILES
"""
import base64
import hashlib
import http.client
import socket
import socketserver
import subprocess
import sys
import threading
import time

PROGRAM, EXAMPLES, WORK = sys.argv[1:4]
failures = 0


def check(sentence, holds):
    global failures
    if not holds:
        failures += 1
    print("ok     " if holds else "FAILED ", sentence)


class Origin(socketserver.ThreadingTCPServer):
    """Answers with its name and the head of the request; speaks enough WebSocket to echo.
    "/login?ID" sets the cookie of an application."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address, name):
        self.name = name
        super().__init__(address, Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        """Health checks break off; so do connections at the end."""


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = self.rfile.readline()
                if not line:
                    return
                head += line
            lower = head.lower()
            if b"upgrade: websocket" in lower:
                return self.websocket(head)
            for line in lower.split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    self.rfile.read(int(line[15:]))
            body = self.server.name.encode() + b"\n" + head
            session = lower.partition(b" /login?")[2].partition(b" ")[0]
            if session:
                session = b"Set-Cookie: JSESSIONID=" + session + b"; Path=/\r\n"
            self.wfile.write(b"HTTP/1.1 200 OK\r\nServer: secret\r\nX-Powered-By: magic\r\n" + session +
                             b"Content-Length: %d\r\n\r\n" % len(body))
            if not head.startswith(b"HEAD"):
                self.wfile.write(body)

    def websocket(self, head):
        key = next(l.split(b":", 1)[1].strip() for l in head.split(b"\r\n")
                   if l.lower().startswith(b"sec-websocket-key"))
        accept = base64.b64encode(hashlib.sha1(
            key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                         b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
        while True:
            data = self.rfile.read1(1000)
            if not data:
                return
            self.wfile.write(self.server.name.encode() + b":" + data)


def ask(address, path="/", method="GET", headers=None, body=None, source=None):
    """Status, fields (a dictionary in lower case), body. source: the client's address."""
    c = http.client.HTTPConnection(address, 80, timeout=30, source_address=source and (source, 0))
    c.request(method, path, body=body, headers=headers or {})
    r = c.getresponse()
    answer = r.status, {k.lower(): v for k, v in r.getheaders()}, r.read().decode()
    c.close()
    return answer


def cli(command):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(WORK + "/stats.sock")
        s.sendall(command.encode() + b"\n")
        answer = b""
        while data := s.recv(65536):
            answer += data
    return answer.decode()


def servers():
    lines = cli("show stat -1 4 -1").lstrip("# ").split("\n")
    names = lines[0].split(",")
    return [dict(zip(names, line.split(","))) for line in lines[1:] if line]


def until(sentence, condition):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            if condition():
                return True
        except OSError:
            pass
        time.sleep(0.05)
    check(sentence, False)
    return False


class Example:
    def __init__(self, name):
        self.name = name
        self.path = f"{EXAMPLES}/{name}.cfg"
        self.origins = {}

    def origin(self, address, name):
        return Origin(address, name)

    def start(self):
        self.log = open(WORK + "/log", "wb")
        self.process = subprocess.Popen(
            [PROGRAM, "-db", "-f", self.path, "-f", WORK + "/stats.cfg"],
            stdout=self.log, stderr=self.log)
        return until(f"{self.name} starts", servers)

    def __enter__(self):
        print("##", self.name)
        self.start()
        for s in servers():
            host, port = s["addr"].rsplit(":", 1)
            self.origins[s["svname"]] = self.origin((host, int(port)), s["svname"])
        for s in servers():  # checks were there before the origins
            cli(f"set server {s['pxname']}/{s['svname']} health up")
        until("all servers are up", lambda: all(
            s["status"] in ("UP", "no check") for s in servers()))
        return self

    def __exit__(self, *_):
        for origin in self.origins.values():
            origin.shutdown()
            origin.server_close()
        self.process.terminate()
        self.process.wait()
        self.log.close()
        text = open(WORK + "/log", errors="replace").read()
        if "Sanitizer" in text or "runtime error" in text:
            print(text)
            check("no report of a sanitizer", False)


def run(prefix, judges, example=None):
    """Starts each example and calls its judge; ends the process."""
    for command in ("link set lo up", "route add local 10.0.0.0/8 dev lo",
                    "route add local 192.0.2.0/24 dev lo"):
        subprocess.run(["ip"] + command.split(), check=True)
    with open(WORK + "/stats.cfg", "w") as f:
        f.write(f'global\n\tstats socket "{WORK}/stats.sock" level admin\n')
    for name, judge in judges:
        with (example or Example)(prefix + name):
            judge()
    sys.exit(failures != 0)
