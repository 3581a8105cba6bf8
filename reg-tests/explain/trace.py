# SPDX-License-Identifier: BSD-2-Clause
"""trace request: what the next request that matches has met. Called by trace.sh."""
import re

from service import check, finish
from told import Told, args, connect, get, trace

t = trace("frontend fe if { path_beg /b } !never")
get("/a")
get("/b1")
with open(args.dir + "/cfg", encoding="ascii") as f:
    several = "nbproc" in f.read()
if several:  # each tells when its request is over: only one after the other is first for sure
    said = t.all()
get("/b2")
said = t.all()
check("the request that matches", "path = /b1" in said and "/b2" not in said and "path = /a" not in said, said)
check("what a rule did", "+ X-Path: /b1" in said, said)
check("a rule as it stands in the file", "+ http-request set-header X-Path %[path]\n" in said, said)
check("the backend", "backend be, by default_backend" in said, said)
check("the end", "end (LR), status 200" in said, said)
check("what is waited for, said once", said.count("The next request") == 1, said)
check("one request", said.count("request of frontend") == 1 and said.count("path = /b1") == 1, said)
check("the line of the log", '"GET /b1 HTTP/1.1"' in said, said)

t = trace("")
check("one at a time", Told("trace request").all().count("Another 'trace request' waits") == 1)
t.s.sendall(b"x\n")
t.all()
t = trace("")
get("/c")
check("a key stops it, and another may follow", "path = /c" in t.all())

t = trace("frontend fe if named_acl")
get("/d")
get("/named")
check("an ACL by its name", "path = /named" in t.all())

slow = connect()
t = trace("if { path /e }")
slow.sendall(b"GET /sl")
get("/e")
check("a head that comes slowly holds nobody up", "path = /e" in t.all())
slow.sendall(b"ow HTTP/1.1\r\nHost: a\r\n\r\n")
check("and is served", b"200 OK" in slow.recv(4096))

t = trace("if { path /wait }")
waiting = connect()
waiting.sendall(b"GET /wait HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
t.until("http-request")
t.s.close()
check("the stats socket goes away in the middle", Told("show info").all().startswith("Name:"))
check("and the request goes on", b"500" in waiting.recv(4096))
t = trace("if { path /f }")
get("/f")
check("and the next trace works", "path = /f" in t.all())

t = trace("width 60 colour frontend fe if { path_beg /long }")
get("/long" + "/and-more" * 30)
said = t.all()
lines = re.sub("\033\\[[0-9]*m", "", said).split("\n")
check("folded for a terminal", max(map(len, lines[1:])) <= 60 and any(l.startswith(" " * 13) for l in lines), said)
check("in colour", "\033[32m" in said, said)

for line, wanted in (("width", "are expected, not ''"), ("width 20", "40 to 10000"), ("frontend nobody", "There is no frontend 'nobody'."), ("if", "a condition is expected"),
                     ("if nothing", "There is no ACL 'nothing'"), ("if { path /x", "that closes the condition"),
                     ("if { }", "an expression is expected"), ("if { foo }", "unknown fetch 'foo'"),
                     ("if { path -f /etc/passwd }", "cannot stand here"), ("unless x", "is expected, not"),
                     ("if { res.hdr(a) b }", "which is not there yet"), ("if { path -m reg ( }", "(")):
    said = Told("trace request " + line).all()
    check("trace request " + line, wanted in said and "Any key" not in said, said)
finish()
