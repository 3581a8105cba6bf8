# SPDX-License-Identifier: BSD-2-Clause
"""What early_hostile.sh describes."""

import early
from early_lib import addresses, before_finished, check, folder, get, info, seen, until

front, brief = addresses


def logged(text):
    with open(folder + "/lines") as lines:
        return any(text in l for l in lines)


def fresh(to=front, **more):
    session, said = early.session(to, get("/first"))
    return early.Client(to, session, **more)


def records(data):
    found = []
    while data:
        n = 5 + int.from_bytes(data[3:5], "big")
        found.append(data[:n])
        data = data[n:]
    return found


c = fresh()
words = c.early(*[b"%c" % b for b in get("/bytes")], send=False)
c.out = b""
for b in words:
    c.sock.sendall(b"%c" % b)
c.handshake(send=False)
check("a byte a record, a byte a segment", c.accepted() and b"GET /bytes" in c.response())
for b in c.out:
    c.sock.sendall(b"%c" % b)
c.out = b""
c.write(get("/behind"))
check("and goes on", b"GET /behind" in c.response())
c.close()

c = fresh()
c.early(b"GET /half HTTP/1.1\r\nHo")
c.handshake()
c.write(b"st: x\r\n\r\n")
said = c.response()
check("half a head early", b"GET /half" in said and b"early-data" not in said.lower(), said)
c.close()

c = fresh()
body = b"0123456789" * 3000
c.early(b"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n", body[:10000])
c.handshake()
c.write(body[10000:])
check("a body in two parts", body in c.response())
c.close()

c = fresh(max_early=1 << 20)
try:
    c.early(b"POST /much HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n", *[b"z" * 10000] * 6)
    c.handshake()
    said = c.response()
except (early.Failed, OSError):
    said = b""
check("more than is allowed is refused", b"200" not in said, said)
until("with a word about it", lambda: logged("too much early data"))
c.close()

c = fresh()
c.early(get("/gone"))
c.handshake(send=False)
check("answered", b"GET /gone" in c.response())
c.close()
until("a client that leaves is a failed handshake", lambda: logged("Connection closed during SSL handshake"))

for path, sign in (("/wait/bad", "CR -1 /wait/bad 34"), ("/slow/bad", "CH 400 /slow/bad 34")):
    c = fresh()
    c.early(get(path))
    c.handshake(send=False)
    *others, last = records(c.out)
    if "slow" in path:
        until("the server has the request", lambda: any(b"/slow/bad" in l for l in seen))
    c.send(b"".join(others) + last[:-1] + b"%c" % (last[-1] ^ 1))
    try:
        c.response()
        check("a wrong Finished ends all", False)
    except early.Failed:
        pass
    until(path + ": a wrong Finished is logged as one", lambda: logged(sign))
    c.close()
until("by the handshake, too", lambda: logged("SSL handshake failure"))
check("what waited has not left", not any(b"/wait" in l for l in seen))

c = fresh(brief)
c.early(get("/never"))
c.handshake(send=False)
check("who never finishes has 408", c.response().startswith(b"HTTP/1.1 408"))
until("as a client that was too slow", lambda: logged("cR 408 /never"))
check("and gets nothing done", not any(b"/never" in l for l in seen))
c.close()

session, said = early.session(front, get("/first"))
many = [early.Client(front, session) for i in range(100)]
for i, c in enumerate(many):
    c.early(get("/many/%d" % i))
for i, c in enumerate(many):
    c.handshake(send=False)
    check("taken", c.accepted()) if i == 0 else None
    said = c.response()
    if b"GET /many/%d HTTP" % i not in said:
        check("one of a hundred has its answer", False, said)
for i, c in enumerate(many):
    if i % 3 == 0:
        c.send()
        c.write(get("/again/%d" % i))
for i, c in enumerate(many):
    if i % 3 == 0 and b"GET /again/%d HTTP" % i not in c.response():
        check("and another one behind the handshake", False)
    c.close()
check("a hundred at a time", True)
until("all of them are gone", lambda: info("CurrSslConns") == 0)
c, said = before_finished(front, get("/next"))
check("the next one is served", b"GET /next" in said)
c.close()
