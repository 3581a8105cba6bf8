# SPDX-License-Identifier: BSD-2-Clause
"""What limits.sh describes."""

import socket
import threading
import zlib

from service import Service, address, ask, check, connect, finish, read_all, until

sv = Service(lambda p: p.add_argument("--what"))
front, back, stats, what = sv.args.front, sv.args.back, sv.args.stats, sv.args.what
BODY = (b"<p>nothing but text that compresses well</p>\n" * 24000)[:1 << 20]


def serve(s):
    with s:
        held = b""
        while True:
            while b"\r\n\r\n" not in held:
                piece = s.recv(65536)
                if not piece:
                    return
                held += piece
            held = held.split(b"\r\n\r\n", 1)[1]
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY)


def origin():
    with socket.create_server(address(back), backlog=100) as o:
        while True:
            threading.Thread(target=serve, args=(o.accept()[0],), daemon=True).start()


threading.Thread(target=origin, daemon=True).start()


def get():
    """(worker, compressed, bytes of the body on the wire); the body is checked."""
    with connect(front) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
        head, body = read_all(s).split(b"\r\n\r\n", 1)
    fields = dict(l.lower().split(b": ", 1) for l in head.split(b"\r\n")[1:])
    if b"chunked" in fields.get(b"transfer-encoding", b""):
        pieces = []
        while body:
            size, rest = body.split(b"\r\n", 1)
            pieces.append(rest[:int(size, 16)])
            body = rest[int(size, 16) + 2:]
        body = b"".join(pieces)
    packed = fields.get(b"content-encoding") == b"gzip"
    whole = zlib.decompress(body, 47) if packed else body
    assert whole == BODY, "the body is another one"
    return fields[b"x-proc"], packed, len(body)


def info(name):
    return int([l for l in ask(stats, "show info").splitlines() if l.startswith(name + ":")][0].split(":")[1])


def bypassed():
    rows = ask(stats, "show stat").splitlines()
    names = rows[0][2:].split(",")
    row = [r.split(",") for r in rows if r.startswith("l,FRONTEND")][0]
    return int(row[names.index("comp_byp")])


def again():
    return get()[1]


if what == "rate":
    worker, packed, size = get()
    check("the first one is compressed, less and less: %d bytes of %d" % (size, len(BODY)),
          packed and len(BODY) // 4 < size)
    check("the limit is shown", info("CompressBpsRateLim") == 102400)
    # The rate is of the last second: where the machine stood still, once more.
    until("the next ones are not compressed", lambda: not again())
    check("and counted", bypassed() >= len(BODY))
    check("the limit is taken away", "http-compression" not in ask(stats, "set rate-limit http-compression global 0"))
    worker, packed, size = get()
    check("without it, one is compressed well: %d bytes" % size, packed and size < len(BODY) // 10)
    until("rates are shown", lambda: get() and info("CompressBpsIn") > info("CompressBpsOut") > 0)
    ask(stats, "set rate-limit http-compression global 100")
    until("compression stops", lambda: not again())
    until("it comes back when less was compressed for a while", again)
if what == "workers":
    def other():
        first = get()
        for i in range(50):
            worker, packed, size = get()
            if worker != first[0]:
                return not packed
        return False
    until("what one worker compresses counts for the other", other)
if what == "cpu":
    until("a busy process compresses no more", lambda: not again())
    until("an idle one does", again)
    check("no rate is limited", info("CompressBpsRateLim") == 0)
if what == "free":
    check("100 is no limit", all(again() for i in range(30)))
finish()
