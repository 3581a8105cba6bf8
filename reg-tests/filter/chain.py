# SPDX-License-Identifier: BSD-2-Clause
"""What chain.sh describes."""

import gzip
import os
import random
import threading

from http1 import Reader, chunked, reply
from origin import serve
from service import Service, check, connect, finish
from sockets import any_server, server_with

sv = Service("last", "pem", "next")
TEXT = b"".join(b"line %d of what compresses %d\n" % (i, i * i) for i in range(6000))
seen, lock = set(), threading.Lock()


def first_time(path):
    with lock:
        new = path not in seen
        seen.add(path)
    return new


def body_of(path):
    return TEXT + path.encode()


def answer(r):
    again = "/again" in r.path and first_time(r.path)
    if again and "/close" in r.path:
        return None
    text = "Content-Type: text/plain"
    if again:
        return reply(b"later", text, status=503)
    if "/204" in r.path:
        return b"HTTP/1.1 204 None\r\n\r\n"
    if "/304" in r.path:
        return b"HTTP/1.1 304 Same\r\nContent-Type: text/plain\r\nContent-Length: 77\r\nETag: \"x\"\r\n\r\n"
    whole = r.body if r.method == "POST" else body_of(r.path)
    said = chunked(whole, text, size=7000) if "/chunked" in r.path else reply(whole, text)
    return said.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if r.method == "HEAD" else said


serve(sv.args.back, answer, server_with(sv.args.pem))


def client(where):
    return any_server().wrap_socket(connect(where))


def ask_for(s, path, gz, method="GET", post=b""):
    s.sendall(("%s %s HTTP/1.1\r\nHost: a\r\n%s%s\r\n" % (method, path, gz and "Accept-Encoding: gzip\r\n",
              "Content-Length: %d\r\n" % len(post) if post else "")).encode() + post)


def plain(head, body):
    return gzip.decompress(body) if b"content-encoding: gzip" in head.lower() else body


NOISE = random.Random(3).randbytes(150000)
CASES = [("GET", "/a", b""), ("HEAD", "/a", b""), ("GET", "/204", b""), ("GET", "/304", b""),
         ("GET", "/chunked", b""), ("HEAD", "/chunked", b""), ("POST", "/a", NOISE), ("POST", "/chunked", NOISE),
         ("GET", "/again/%s", b""), ("GET", "/again/close/%s", b""), ("GET", "/again/chunked/%s", b""),
         ("HEAD", "/again/%s/head", b""), ("GET", "/again/204/%s", b""), ("POST", "/again/%s/post", NOISE[:5000]),
         ("GET", "/b", b"")]


def all_kinds(name, where):
    for gz in "", "gzip":
        with client(where) as s:
            r = Reader(s)
            for method, path, post in CASES:
                path = path.replace("%s", name + gz)
                ask_for(s, path, gz, method, post)
                status = b"204" if "204" in path else b"304" if "304" in path else b"200"
                none = method == "HEAD" or status != b"200"
                got = r.message(bodiless=none)
                if not got:
                    check("%s: %s %s %s: an answer" % (name, method, path, gz), False)
                    return
                head, body = got
                want = b"" if none else post or body_of(path)
                packed = b"content-encoding: gzip" in head.lower()
                check("%s: %s %s %s: whole" % (name, method, path, gz),
                      head.split()[1] == status and plain(head, body) == want)
                check("... compressed: %s" % packed, none or packed == (gz != ""))
                check("... nothing more", not r.held)


all_kinds("first", sv.args.front)
all_kinds("last", sv.args.last)
elsewhere = int(sv.stat("last", "BACKEND", lambda command: sv.worker(1, command))["wredis"])
check("requests went on to another server: %d" % elsewhere, elsewhere > 0)

with client(sv.args.front) as old:
    r = Reader(old)
    ask_for(old, "/slow", "")
    while len(r.held) < 10000:
        r.more()
    os.replace(sv.args.next, sv.cfg)
    check("a reload", "Success=1" in sv.parent("reload"))
    with client(sv.args.front) as s:
        ask_for(s, "/a", "gzip")
        head, body = Reader(s).message()
        check("what begins now is not compressed", b"gzip" not in head and body == body_of("/a"))
    all_kinds("changed", sv.args.last)
    head, body = r.message()
    check("what was under way arrives whole", body == body_of("/slow"))
finish()
