#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# OpenSSL's server asks for new keys (KeyUpdate, RFC 8446 4.6.3) in the middle of a transfer in mode
# tcp, and while a connection in mode http is idle: nothing is lost, the idle connection stays and
# is used again. Other bytes that come on an idle connection close it.
. "${0%/*}/../lib.sh"
. "${0%/*}/certs.sh"

authority ca
signed site ca www.example.com
web=127.0.0.1:$(ports 1)
config <<END
defaults d
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	default-server ssl ca-file $certs/ca.pem
listen bytes
	bind $front
	server s $back
listen web
	mode http
	http-reuse always
	bind $web
	server s $back pool-purge-delay 1m
END
start_penstock
PYTHONPATH=$srcdir/reg-tests/tls python3 - "$front" "$web" "$back" "$certs/site" <<'PY' || failures=$((failures + 1))
import re
import socket
import subprocess
import sys
import threading
from visits import ask, connect, check, finish, until

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

    def hears_keys(self, times):
        until("and gets them with the next bytes", lambda: len(re.findall(b"<<< .*KeyUpdate", self.said)) >= times)

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
    server.hears_keys(turn)
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
PY
finish
