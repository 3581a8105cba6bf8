# SPDX-License-Identifier: BSD-2-Clause
"""What actions.sh describes."""

import socket
import time

from service import Service, check, connect, finish, read_all, until
from sockets import reset

service = Service(lambda parser: [parser.add_argument(name) for name in ("tcp", "aborts")])


def ask(path, *fields, body=b""):
    got = service.fetch(path, *fields, method="POST", body=body)
    return got.status, got.head.decode("latin-1"), got.text


def says(sentence, path, status, body=None):
    found = ask(path)
    good = found[0] == status and (body is None or found[2] == body)
    check(sentence if good else f"{sentence}: {found[0]} {found[2][:300]}", good)


says("objects are kept", "/keep", 200, "behind")
says("objects of another stream raise", "/use", 200, "fine")
for way in "plain pcall xpcall loop coroutine resume sort metamethod close".split():
    says(f"txn:done ends a script: {way}", "/done_" + way, 418, "ended")
for bad in "body value line name blank void zero reason interim low high negative far many".split():
    says(f"an answer that cannot be is 500: {bad}", "/bad_" + bad, 500)
says("an answer that raises is an error of the script", "/bad_loop", 200, "behind")
says("an answer of the size of a buffer", "/fits", 200, "x" * 16000)
status, head, body = ask("/framed")
check("scripts do not frame answers", body == "framed" and head.lower().count("content-length") == 1 and
      "transfer-encoding" not in head.lower())
status, head, body = ask("/frames", body=b"hello")
check("scripts do not frame requests: " + body, status == 200 and body == "5 0 hello")
check("nor responses", head.lower().count("content-length") == 1)
status, head, body = ask("/fill", body=b"hello")
check("a head is filled up to a buffer, which its reader may find too large", status in (200, 431))
check("what did not fit is counted", int(service.stat("fe", "FRONTEND")["wrew"]) > 1000)
says("memory has a bound", "/memory", 200, "behind")
until("which is told", lambda: service.logged("Lua function 'memory': out of memory error."))
says("memory that is short can be caught", "/memory_caught", 200, "caught")
says("scripts go on when there was none", "/use", 200, "fine")
before = service.logged("Lua function 'fails'")
for _ in range(200):
    ask("/fails")
told = service.logged("Lua function 'fails'") - before
check(f"errors are told some times a second: {told} lines", 10 <= told < 150)
says("YIELD runs the function again", "/again", 200, "ran 4 times")
for name in "forever", "sleeps":
    s = connect(service.args.front)
    s.sendall(f"GET /{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    until(f"a script that never ends: {name}", lambda: "fe=fe " in service.ask("show sess"))
    reset(s)
    until("a client that leaves ends it", lambda: "fe=fe " not in service.ask("show sess"))
for name in "forever", "sleeps", "response":
    with connect(service.args.aborts) as s:
        s.sendall(f"GET /{name} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        if name == "response":
            until("a script waits with the response", lambda: service.logged("a response waits"))
        until(f"a script without an end: {name}", lambda: "fe=aborts " in service.ask("show sess"))
        s.shutdown(socket.SHUT_WR)
        check("with abortonclose it is over when its client has closed", read_all(s).startswith(b"HTTP/1.1 200 "))
check("as if its time were over", service.logged("aborting Lua processing on expired timeout") == 3)
began = time.monotonic()
with connect(service.args.tcp) as s:
    s.sendall(b"x")
    check("the delay of the inspection ends scripts", read_all(s) == b"")
check("in time", time.monotonic() - began < 60)
check("and both are told", service.logged("aborting Lua processing on expired timeout") == 5)
says("objects with other handles", "/odd_handles", 200, "fine")
says("requests that change", "/odd_request", 200, "fine")
says("names of variables have a bound", "/names", 200, "fine")
finish()
