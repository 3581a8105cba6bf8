# SPDX-License-Identifier: BSD-2-Clause
"""What trace.sh describes."""

import gzip
import random

from http1 import Answer, Reader, reply
from origin import serve_each
from service import Service, check, connect, finish, read_all

sv = Service()
front, back, stats, folder = sv.args.front, sv.args.back, sv.args.stats, sv.args.dir
BODY = b"".join(b"line %d of what compresses %d\n" % (i, i * i) for i in range(12000))


def origin(s):
    """One answer a connection."""
    head, body = Reader(s).message()
    if b" /small " in head:
        s.sendall(b"HTTP/1.1 200 OK\r\nX-Name: Value\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
    else:
        s.sendall(reply(body) if b" /echo " in head else reply(BODY, "Content-Type: text/plain"))


serve_each(back, origin)


def get(to, path, more="", post=b""):
    with connect(to) as s:
        s.sendall(("GET %s HTTP/1.1\r\nHost: a\r\n%sConnection: close\r\n\r\n" % (path, more)).encode() + post)
        got = Answer(read_all(s))
    return gzip.decompress(got.body) if got.fields.get("content-encoding") == "gzip" else got.body


get(front, "/small", "Content-Length: 3\r\n", b"abc")
get(front, "/no")
check("mode tcp", get(folder + "/tcp.sock", "/small") == b"hello world")


before = int(sv.info()["BytesSpliced"])
check("quiet", get(folder + "/quiet.sock", "/large") == BODY)
check("... and bytes stay in their pipes", int(sv.info()["BytesSpliced"]) > before)
whole = 0
for more in "", "Accept-Encoding: gzip\r\n":
    for i in range(5):
        whole += get(folder + "/packed.sock", "/large", more) == BODY
    noise = random.Random(2).randbytes(200000)
    whole += get(folder + "/packed.sock", "/echo", more + "Content-Length: 200000\r\n", noise) == noise
check("what is held back at random arrives", whole == 12)
finish()
