#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Clients that make us wait for the rest of a head or for a body cost little memory: a small buffer
# and an exchange without room for a response, or a page of a buffer beside it. A head that comes a
# byte at a time, or has more fields than lie with the exchange, is nevertheless read as it is.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "with a sanitizer objects have other sizes"; exit 77; }
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] || { say "too few descriptors"; exit 77; }
ulimit -n 4096
for case in half long body read; do
{
	printf '\tmaxconn 1600\n'
	http_defaults
	printf 'frontend fe\n\tbind %s\n\thttp-request wait-for-body time 100s if METH_POST\n' "$front"
	printf '\thttp-request return status 200 hdr got "%%[req.hdr_cnt(x)] %%[req.hdr(last)] %%[path]"\n'
} | config
start_penstock
driver - "$case" <<'END' || fail "memory of clients that wait"
import sys

case = sys.argv.pop(1)
from service import Service, check, connect, finish, until

service = Service()
COUNT = 1500


def used():
    with open(f"/proc/{service.pid}/smaps_rollup") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Anonymous:"))


def cost(name, sent, most):
    service.get()
    before = used()
    held = [connect(service.args.front) for _ in range(COUNT)]
    for s in held:
        s.sendall(sent)
    until("all are there", lambda: sessions() >= COUNT)
    full = used()
    each = (full - before) / COUNT
    check("%s: %.2f kB, at most %s" % (name, each, most), each < most)
    for s in held:
        s.close()
    until("all are gone", lambda: int(service.info()["CurrConns"]) <= 1)


def sessions():
    return service.ask("show sess").count("fe=fe")


def answer(pieces):
    s = connect(service.args.front)
    for piece in pieces:
        s.sendall(piece)
    got = b""
    while b"\r\n\r\n" not in got:
        got += s.recv(4096)
    s.close()
    return got.decode()


def heads():
    for count in (1, 15, 16, 17, 40, 98):
        head = b"GET /p HTTP/1.1\r\nHost: y\r\n" + b"X: 1\r\n" * count + b"Last: end\r\n\r\n"
        want = "got: %d end /p" % count
        check("%d fields at once" % count, want in answer([head]))
        check("%d fields byte by byte" % count, want in answer(head[i:i + 1] for i in range(len(head))))
    head = b"GET /p HTTP/1.1\r\nHost: y\r\n" + b"X: 1\r\n" * 100 + b"Last: end\r\n\r\n"
    check("too many fields", answer([head]).startswith("HTTP/1.1 400"))


if case == "half":
    cost("half a head of 50 bytes", b"GET / HTTP/1.1\r\nHost: www.example.org\r\nX-Some: abcd", 4.5)
elif case == "long":
    cost("half a head of 400 bytes", b"GET / HTTP/1.1\r\nHost: x\r\nCookie: " + b"c" * 360, 4.5)
elif case == "body":
    cost("a body", b"POST / HTTP/1.1\r\nHost: www.example.org\r\nContent-Length: 1000\r\n\r\nbody", 8.5)
else:
    heads()
finish()
END
stop_penstock
done
finish
