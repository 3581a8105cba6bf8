# SPDX-License-Identifier: BSD-2-Clause
"""What trace.sh describes."""

import gzip
import random
import socket
import threading

from service import Service, address, ask, check, connect, finish, read_all

sv = Service()
front, back, stats, folder = sv.args.front, sv.args.back, sv.args.stats, sv.args.dir
BODY = b"".join(b"line %d of what compresses %d\n" % (i, i * i) for i in range(12000))


def serve(s):
    with s:
        held = b""
        while b"\r\n\r\n" not in held:
            held += s.recv(65536)
        head, held = held.split(b"\r\n\r\n", 1)
        length = [int(l.split(b":")[1]) for l in head.lower().split(b"\r\n") if l.startswith(b"content-length:")]
        while length and len(held) < length[0]:
            held += s.recv(65536)
        if b" /small " in head:
            s.sendall(b"HTTP/1.1 200 OK\r\nX-Name: Value\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
        elif b" /echo " in head:
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(held) + held)
        else:
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)


def origin():
    with socket.create_server(address(back), backlog=100) as o:
        while True:
            threading.Thread(target=serve, args=(o.accept()[0],), daemon=True).start()


threading.Thread(target=origin, daemon=True).start()


def get(to, path, more="", post=b""):
    with connect(to) as s:
        s.sendall(("GET %s HTTP/1.1\r\nHost: a\r\n%sConnection: close\r\n\r\n" % (path, more)).encode() + post)
        head, body = read_all(s).split(b"\r\n\r\n", 1)
    if b"chunked" in head.lower():
        plain = b""
        while not body.startswith(b"0\r\n"):
            size, body = body.split(b"\r\n", 1)
            plain += body[:int(size, 16)]
            body = body[int(size, 16) + 2:]
        body = plain
    return gzip.decompress(body) if b"encoding: gzip" in head.lower() else body


get(front, "/small", "Content-Length: 3\r\n", b"abc")
get(front, "/no")
check("mode tcp", get(folder + "/tcp.sock", "/small") == b"hello world")


def info(name):
    return int([l for l in ask(stats, "show info").splitlines() if l.startswith(name + ":")][0].split(":")[1])


before = info("BytesSpliced")
check("quiet", get(folder + "/quiet.sock", "/large") == BODY)
check("... and bytes stay in their pipes", info("BytesSpliced") > before)
whole = 0
for more in "", "Accept-Encoding: gzip\r\n":
    for i in range(5):
        whole += get(folder + "/packed.sock", "/large", more) == BODY
    noise = random.Random(2).randbytes(200000)
    whole += get(folder + "/packed.sock", "/echo", more + "Content-Length: 200000\r\n", noise) == noise
check("what is held back at random arrives", whole == 12)
finish()
