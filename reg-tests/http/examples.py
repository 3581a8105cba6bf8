# SPDX-License-Identifier: BSD-2-Clause
"""Runs the HTTP configurations of examples/ in a network of its own, where their addresses are
local, with an origin behind each server, and asks what each one promises.

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
    """Answers with its name and the head of the request; speaks enough WebSocket to echo."""
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
            self.wfile.write(b"HTTP/1.1 200 OK\r\nServer: secret\r\nX-Powered-By: magic\r\n"
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


def ask(address, path="/", method="GET", headers=None, body=None):
    """Status, fields (a dictionary in lower case), body."""
    c = http.client.HTTPConnection(address, 80, timeout=30)
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
        self.origins = {}

    def start(self):
        self.log = open(WORK + "/log", "wb")
        self.process = subprocess.Popen(
            [PROGRAM, "-db", "-f", f"{EXAMPLES}/{self.name}.cfg", "-f", WORK + "/stats.cfg"],
            stdout=self.log, stderr=self.log)
        return until(f"{self.name} starts", servers)

    def __enter__(self):
        print("##", self.name)
        self.start()
        for s in servers():
            host, port = s["addr"].rsplit(":", 1)
            self.origins[s["svname"]] = Origin((host, int(port)), s["svname"])
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


def virtual_hosts():
    at = "192.0.2.10"
    host = lambda name, path="/": ask(at, path, headers={"Host": name})
    check("the shop", host("SHOP.example.org")[2].startswith("shop"))
    check("the blog", host("www.blog.example.org")[2].startswith("blog1"))
    status, fields, _ = host("shop.example.org", "/old/list?x=1")
    check("what has moved", (status, fields["location"]) == (301, "/new/old/list?x=1"))
    first = host("x", "/images/a.png")[2].split("\n")[0]
    check("a picture always comes from the same server", first.startswith("images") and
          all(host("x", "/images/a.png")[2].startswith(first) for _ in range(4)))
    status, _, body = host("nobody.example.org")
    check("an unknown site", (status, body) == (404, "There is no such site here.\n"))
    check("the server learns who asked",
          "x-forwarded-for: 192.0.2.10" in host("shop.example.org")[2].lower())


def maintenance_page():
    at = "192.0.2.11"
    check("serves", ask(at)[2].startswith("site"))
    cli("disable server site/site1")
    check("one server is enough", ask(at)[2].startswith("site2"))
    cli("disable server site/site2")
    status, fields, body = ask(at, headers={"Accept": "text/html"})
    check("people get the page", status == 503 and "We are working" in body and
          fields["retry-after"] == "60" and fields["content-type"] == "text/html")
    check("machines get a status", ask(at, headers={"Accept": "*/*"})[0] == 503)
    cli("enable server site/site1")
    until("it is back", lambda: ask(at)[2].startswith("site1"))


def sticky_sessions():
    at = "192.0.2.12"
    for _ in range(4):
        _, fields, body = ask(at)
        name, cookie = body.split("\n")[0], fields["set-cookie"].split(";")[0]
        check(f"{name} again, without its seeing the cookie", all(
            answer[2].startswith(name) and "SERVER" not in answer[2]
            for answer in [ask(at, headers={"Cookie": cookie}) for _ in range(3)]))
    check("two clients were on different servers", ask(at)[2][:4] != ask(at)[2][:4])


def websocket():
    at = "192.0.2.13"
    check("pages", ask(at)[2].startswith("pages1"))
    with socket.create_connection((at, 80), 30) as s:
        s.sendall(b"GET /chat HTTP/1.1\r\nHost: chat\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                  b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        stream = s.makefile("rwb", buffering=0)
        status = stream.readline()
        head = b""
        while (line := stream.readline()) != b"\r\n":
            head += line.lower()
        check("the protocol is switched", b" 101 " in status and b"upgrade: websocket" in head and
              b"sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=" in head)
        stream.write(b"one")
        answer = b""
        while not answer.endswith(b":one"):
            answer += stream.read(100)
        check("there and back", answer in (b"socket1:one", b"socket2:one"))


def basic_auth():
    at = "192.0.2.14"
    token = lambda text: {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}
    anna, bert = token("anna:Hello world!"), token("bert:hello")
    check("everybody reads", ask(at, headers={"X-User": "forged"})[0] == 200)
    check("nobody forges a name", "forged" not in ask(at, headers={"X-User": "forged"})[2])
    status, fields, _ = ask(at, method="POST", body=b"x")
    check("changing needs a password", status == 401 and "Editors" in fields["www-authenticate"])
    check("a wrong one does not do",
          ask(at, method="POST", body=b"x", headers=token("bert:hallo"))[0] == 401)
    status, _, body = ask(at, method="POST", body=b"x", headers=bert)
    check("bert may change", status == 200 and "x-user: bert" in body.lower() and
          "authorization" not in body.lower())
    check("bert is no administrator", ask(at, "/admin", headers=bert)[0] == 401)
    check("anna is", ask(at, "/admin", headers=anna)[0] == 200)


def security_headers():
    at = "192.0.2.15"
    status, fields, body = ask(at)
    check("fields for browsers", status == 200 and fields["x-content-type-options"] == "nosniff" and
          "default-src" in fields["content-security-policy"])
    check("fields of the server are gone", "server" not in fields and "x-powered-by" not in fields)
    check("the server learns the scheme", "x-forwarded-proto: http" in body.lower())
    status, fields, _ = ask(at, method="TRACE")
    check("a method that is not served", status == 405 and fields["x-frame-options"] == "DENY")
    check("files that nobody should see", ask(at, "/a/.git/config")[0] == 403)
    status = []
    thread = threading.Thread(target=lambda: status.append(ask(at, "/wp-login.php")[0]))
    started = time.monotonic()
    thread.start()
    check("others are served meanwhile", ask(at)[0] == 200)
    thread.join()
    check("the tarpit takes its time", status == [429] and time.monotonic() - started > 9)


def main():
    for command in ("link set lo up", "route add local 10.0.0.0/8 dev lo",
                    "route add local 192.0.2.0/24 dev lo"):
        subprocess.run(["ip"] + command.split(), check=True)
    with open(WORK + "/stats.cfg", "w") as f:
        f.write(f'global\n\tstats socket "{WORK}/stats.sock" level admin\n')
    for name, judge in (("virtual-hosts", virtual_hosts), ("maintenance-page", maintenance_page),
                        ("sticky-sessions", sticky_sessions), ("websocket", websocket),
                        ("basic-auth", basic_auth), ("security-headers", security_headers)):
        with Example("http-" + name):
            judge()
    sys.exit(failures != 0)


main()
