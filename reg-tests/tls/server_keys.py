# SPDX-License-Identifier: BSD-2-Clause
"""What server_keys.sh describes."""

import re
import socket
import subprocess
import sys
import threading

from service import check, finish, until
from visits import ask, connect

front, web, back, site = sys.argv[1:]


class Server:
    """openssl s_server: what is written to it goes to the peer, but for lines that are commands."""

    def __init__(self):
        self.said = b""
        self.p = subprocess.Popen(["stdbuf", "-o0", "openssl", "s_server", "-accept", back, "-cert", site + ".crt", "-key",
                                   site + ".key", "-tls1_3", "-crlf", "-msg"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        threading.Thread(target=self.listen, daemon=True).start()
        until("the server listens", lambda: b"ACCEPT" in self.said)

    def listen(self):
        while True:
            data = self.p.stdout.read(65536)
            if not data:
                return
            self.said += data

    def write(self, text):
        self.p.stdin.write(text)

    def heard(self, what, times=1):
        until(f"the server hears {what!r}", lambda: self.said.count(what) >= times)

    def says_keys(self, times):
        until("the server asks for new keys", lambda: len(re.findall(b">>> .*KeyUpdate", self.said)) >= times)

    def hears_keys(self, times, client):
        """With the next bytes: those of the client may have been faster than the server's
        question."""
        def heard():
            if len(re.findall(b"<<< .*KeyUpdate", self.said)) >= times:
                return True
            client.sendall(b"more\n")
            return False
        until("and gets them with the next bytes", heard)

    def end(self):
        self.p.kill()
        self.p.wait()


def expect(s, text):
    got = b""
    while len(got) < len(text):
        data = s.recv(65536)
        if not data:
            break
        got += data
    check(f"the client gets {text!r}", got == text, got)


server = Server()
host, port = front.split(":")
s = socket.create_connection((host, int(port)), timeout=60)
for turn in range(3):
    s.sendall(b"from the client %d\n" % turn)
    server.heard(b"from the client %d" % turn)
    server.hears_keys(turn, s)
    server.write(b"from the server %d\n" % turn)
    expect(s, b"from the server %d\r\n" % turn)
    server.write(b"K\n")
    server.says_keys(turn + 1)
s.close()
server.end()

server = Server()
conn = connect(web)


def visit(path):
    def answer():
        server.heard(b"GET " + path.encode())
        server.write(b"HTTP/1.1 200 OK\nContent-Length: 0\n\n")

    answering = threading.Thread(target=answer)
    answering.start()
    status, said, body = ask(conn, "", path=path)
    answering.join()
    check(f"{path} is answered", status == 200, status)


visit("/one")
server.write(b"K\n")
server.says_keys(1)
visit("/two")
check("over the same connection", server.said.count(b"ClientHello") == 1)
server.write(b"nobody has asked for this\n")
server.heard(b"CONNECTION CLOSED")
visit("/three")
check("over another one", server.said.count(b"ClientHello") == 2)
server.end()
finish()
