# SPDX-License-Identifier: BSD-2-Clause
"""Filters that are scripts (filters.sh): each part prints its configuration (--print), or
judges."""
import os
import random
import signal
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from filter_world import Client, Echo, Proxy, changed, judge, pattern
from origin import serve_each
from service import Service, check, finish, read_all, until
from sockets import ends_by_reset

service = Service(lambda p: [p.add_argument("--" + name) for name in ("pem", "part", "scripts")] +
                  [p.add_argument("--print", action="store_true")])
args = service.args
LARGE = int(os.environ.get("LARGE", 5 << 16))
TRACE = "filter trace quiet random-forwarding"
PACKED = ("filter compression", "compression algo gzip", "compression type text/css")
LIMIT = "filter bwlim-out %s default-limit 900m default-period 1s"


def where(proxy):
    return proxy.where(args.dir)


def state():
    with Client(f"{args.dir}/state.sock") as c:
        c.s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return [int(word) for word in read_all(c.s).split(b"\r\n\r\n")[1].split()]


def sessions():
    return sum("fe=state" not in line and "fe=GLOBAL" not in line and "fe=" in line
               for line in service.ask("show sess").splitlines())


def used():
    """Objects of the pools of filters and of buffers, in use."""
    return [line for line in service.ask("show pools").splitlines()
            if any(f"Pool {name} (" in line for name in ("filters", "lua filter", "buffer")) and " 0 used" not in line]


def nothing_left():
    until("no session is left", lambda: not sessions())
    until("nothing of filters is left", lambda: not used())


# ---- bytes ---------------------------------------------------------------------------------------


def plenty():
    """Proxies of the parts whose bytes are judged."""
    for way in "h1", "h2", "tls":
        yield Proxy(f"{way}_none", [], way)
        yield Proxy(f"{way}_one", ["upper"], way)
        yield Proxy(f"{way}_two", ["swap hold", "double"], way, 1)
        yield Proxy(f"{way}_three", ["drop", "swap", "brackets hold"], way, 2)
        yield Proxy(f"{way}_traced", ["upper hold", "brackets"], way, 1, (TRACE, PACKED[0], TRACE, LIMIT % way))
        yield Proxy(f"{way}_packed", ["drop hold", "double"], way, 2, PACKED + (LIMIT % way, TRACE, TRACE))


def large_bodies(proxies):
    body = pattern(LARGE)
    for p in proxies:
        for how, coding in ("length", "length"), ("trailers", "trailers"):
            name = f"{p.name}.{how}"
            with Client(where(p)) as c:
                c.send(c.request(name, "POST", "/", how, body, coding))
                wrong = judge(p, c, name, "POST", "/", how, body, c.response())
                check(f"{p.name}: {LARGE} bytes both ways, {how}: {wrong or 'as foretold'}", not wrong)


CASES = [("GET", "/1000", "length"), ("HEAD", "/1000", "length"), ("GET", "/70000", "chunked"),
         ("GET", "/10", "204"), ("HEAD", "/10", "chunked"), ("GET", "/10", "304"), ("GET", "/0", "length"),
         ("GET", "/0", "chunked"), ("POST", "/40000", "length"), ("POST", "/1", "chunked"),
         ("POST", "/0", "trailers"), ("PUT", "/16384", "204"), ("GET", "/30001", "trailers")]


def in_a_row(proxies, pipelined):
    """Many on one connection, of every kind: nothing of one reaches the next."""
    for p in proxies:
        wrong = None
        with Client(where(p)) as c:
            todo = []
            for i, (method, path, how) in enumerate(CASES):
                name = f"{p.name}.{i}.{pipelined}"
                body = pattern(int(path[1:])) if method in ("POST", "PUT") else None
                coding = ("length", "chunked", "trailers")[i % 3]
                todo.append((name, method, path, how, body, c.request(
                    name, method, path, how, body, coding, more="Expect: 100-continue\r\n" if i == 8 else "")))
            if pipelined:
                c.send(b"".join(t[-1] for t in todo))
            for *about, data in todo:
                if not pipelined:
                    c.send(data)
                wrong = judge(p, c, *about, c.response(about[1]))
                if wrong:
                    break
            left = bytes(c.r.held)
        check(f"{p.name}: {len(CASES)} in a row{', pipelined' * pipelined}: {wrong or 'as foretold'}",
              not wrong and not left)


def broken_off(proxies):
    """Clients that send a part, take a part, and are gone; servers that break off."""
    for p in proxies:
        with Client(where(p)) as c:
            whole = c.request("x", "POST", "/", "chunked", pattern(30000), "chunked")
        for i in range(0, 41):
            rnd = random.Random(i)
            with Client(where(p), small=True) as c:
                c.s.sendall(whole[:len(whole) * i // 40])
                if i == 40:
                    c.s.recv(rnd.choice((1, 500, 5000)))
                if i % 2:
                    ends_by_reset(c.s)
        with Client(where(p)) as c:
            c.send(c.request("y", "GET", "/300000", "break"))
            try:
                got = c.response()
            except EOFError:
                got = None
            check(f"{p.name}: the end of a broken response is no end",
                  not got or got[0] >= 500 or got[2] != changed(pattern(300000), p.kinds) and p.way != "h1")


def slow_reader(p):
    body = pattern(400000)
    with Client(where(p), small=True) as c:
        c.send(c.request("slow", "POST", "/", "length", body))
        while c.r.more(2000):
            if len(c.r.held) > 300000:
                break
        wrong = judge(p, c, "slow", "POST", "/", "length", body, c.response())
        check(f"{p.name}: a slow reader: {wrong or 'as foretold'}", not wrong)


def tunnel(p):
    """Bytes behind an upgrade are bytes of a stream: tcp_payload."""
    with Client(where(p)) as c:
        c.s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                    b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n")
        got = c.response()
        check(f"{p.name}: a tunnel: {got and got[0]}", got and got[0] == 101)
        if not got or got[0] != 101:
            return
        data = pattern(200000)
        def run():
            c.s.sendall(data)
            c.s.shutdown(socket.SHUT_WR)
        threading.Thread(target=run, daemon=True).start()
        while c.r.more():
            pass
        want = changed(changed(data, p.kinds), p.kinds)
        check(f"{p.name}: its bytes, {len(c.r.held)} of {len(want)}", bytes(c.r.held) == want)


def judge_bytes(proxies):
    large_bodies(proxies)
    judge_small(proxies)
    for p in proxies:
        if p.name in ("h1_none", "h1_one", "h1_two"):
            tunnel(p)
            slow_reader(p)
    nothing_left()


def judge_small(proxies):
    in_a_row(proxies, False)
    in_a_row(proxies, True)
    broken_off(proxies)
    nothing_left()


# ---- mode tcp ------------------------------------------------------------------------------------


def streams():
    for i, kinds in enumerate(([], ["upper"], ["swap hold", "double"], ["drop", "swap", "brackets hold"])):
        yield Proxy(f"tcp{i}", kinds, mode="tcp", split=i // 2, others=(TRACE, TRACE) if i == 2 else ())


def mirror(s):
    """Sends back what it is sent, and ends when that ends."""
    while piece := s.recv(65536):
        s.sendall(piece)


def judge_tcp(proxies):
    serve_each(args.back, mirror)
    for p in proxies:
        for size in 0, 1, 2, 16384, LARGE:
            with Client(where(p)) as c:
                data = pattern(size)
                def run():
                    c.s.sendall(data)
                    c.s.shutdown(socket.SHUT_WR)
                threading.Thread(target=run, daemon=True).start()
                while c.r.more():
                    pass
                want = changed(changed(data, p.kinds), p.kinds)
                check(f"{p.name}: {size} bytes both ways, {len(c.r.held)} of {len(want)}", bytes(c.r.held) == want)
        for i in range(20):
            with Client(where(p), small=True) as c:
                c.s.sendall(pattern(5000 * i))
                if i % 2:
                    ends_by_reset(c.s)
    nothing_left()


# ---- what they should not do ---------------------------------------------------------------------


HTTP_MOMENTS = ("start_analyze", "http_headers", "http_payload", "http_end", "end_analyze")
WHATS = ("raise", "loop", "done", "reply", "sleep", "memory", "table", "none", "word", "much", "min", "ERROR", "all")


def misbehaving():
    for what in WHATS:
        yield Proxy(f"new_{what}", [], lines=[f"filter lua.bad new {what}"])
    for what in WHATS:
        for side in "req", "res":
            for moment in HTTP_MOMENTS:
                yield Proxy(f"{moment}_{what}_{side}", ["same hold"], lines=[f"filter lua.bad {moment} {what} {side}"])
            for moment in "tcp_payload", "start_analyze", "end_analyze":
                yield Proxy(f"t_{moment}_{what}_{side}", ["same"], mode="tcp",
                            lines=[f"filter lua.bad {moment} {what} {side}"])


# What the log has of them; of many failures of one filter it has the first ones.
SAID = {"loop": "execution timeout", "raise": ": raised"}


def at_once(do, proxies):
    """do(proxy) for each; they wait for a time-out."""
    with ThreadPoolExecutor(max(len(proxies), 1)) as pool:
        list(pool.map(do, proxies))


def judge_bad(proxies):
    Echo(args.back)

    def one(p):
        with Client(where(p)) as c:
            data = c.request("bad", "POST", "/", "chunked", pattern(50000), "chunked")
            c.send(data + data)
            try:
                answers = [c.response() for _ in range(2)]
                said = " ".join(str(a and a[0]) for a in answers)
            except (EOFError, ConnectionError):
                said = "broken off"
            except ValueError as e:
                said = f"nonsense: {e}"
            check(f"{p.name}: {said}", "nonsense" not in said)
    keeps = [p for p in proxies if "_all_" in p.name]
    for p in proxies:
        if p not in keeps:
            one(p)
    at_once(one, keeps)
    nothing_left()
    for what, text in SAID.items():
        check(f"the log tells of {what}", service.logged("Lua filter 'bad': ") and service.logged(text))
    check("the process lives", service.info()["Pid"] == str(service.pid))


# ---- ends ----------------------------------------------------------------------------------------


def endings():
    yield Proxy("wait", [], lines=["timeout client 300ms", "filter lua.wait"])
    yield Proxy("wait_wake", [], lines=["timeout client 300ms", "filter lua.wait 1"])
    yield Proxy("swallow", [], lines=["timeout client 300ms", "filter lua.swallow req"])
    yield Proxy("collect", [], lines=["filter lua.collect"])
    yield Proxy("eom", [], lines=["filter lua.change same hold", "filter lua.eom 1000"])
    yield Proxy("eom_req", [], lines=["filter lua.change same hold", "filter lua.eom 1000 req", "filter lua.change same hold"])
    yield Proxy("keep", [], lines=["filter lua.keep"])
    yield Proxy("garbage", [], lines=["filter lua.garbage"])
    yield Proxy("hundred", ["same"] * 100, split=50)
    yield Proxy("retry", ["upper"], lines=[])
    yield Proxy("early", ["upper hold"], lines=[])


def answer_of(p, *words, **more):
    with Client(where(p)) as c:
        c.send(c.request(p.name, *words, **more))
        try:
            return c.response(words[0] if words else "GET"), c
        except (EOFError, ConnectionResetError):
            return None, c


def judge_ends(proxies):
    echo = Echo(args.back)
    by = {p.name: p for p in proxies}
    for name in "wait", "wait_wake":
        got, _ = answer_of(by[name])
        check(f"{name}: for ever is as long as a time-out: {got and got[0]}", got and got[0] in (400, 408))
    got, _ = answer_of(by["swallow"], "POST", "/", "length", pattern(100000))
    check("who keeps everything gives nothing: %s" % (got and got[0]), not got or got[0] >= 400)
    check("... and the log says so", service.logged("it keeps more bytes than a buffer has room for") > 0)
    got, _ = answer_of(by["collect"], "POST", "/", "length", pattern(3000))
    check("who keeps until the end gives all", got and got[2] == pattern(3000))
    with Client(where(by["eom"])) as c:
        c.send(c.request("e", path="/500000"))
        got = c.response()
        check("a response ends early", got and got[2] == pattern(1000))
    with Client(where(by["eom_req"])) as c:
        c.send(c.request("e2", "POST", "/", "length", pattern(90000)) * 2)
        try:
            got = c.response()
        except ConnectionResetError:
            got = None
        check("a request ends early: %d bytes" % len(echo.bodies.get("e2", b"")), echo.bodies.get("e2") == pattern(1000))
    for _ in range(3):
        got, _ = answer_of(by["keep"])
        check("a filter that keeps objects", got and got[0] == 200 and got[2] == pattern(1000))
    check("objects beyond their life are refused: %d" % state()[2], state()[2] >= 10)
    got, _ = answer_of(by["garbage"], "POST", "/", "chunked", pattern(3000), coding="chunked")
    check("overwritten objects: %s" % (got and got[0]), got and got[0] == 200)
    p = by["hundred"]
    got, c = answer_of(p, "POST", "/", "length", pattern(3000))
    check("a hundred filters", got and got[2] == pattern(3000))
    nothing_left()


# ---- what is kept ---------------------------------------------------------------------------------


def keepers():
    for side in "req", "res":
        yield Proxy(f"kept_{side}", [], lines=[f"filter lua.swallow {side}"])
        yield Proxy(f"tcp_kept_{side}", [], mode="tcp", lines=[f"filter lua.swallow {side}"])
        yield Proxy(f"unended_{side}", ["same"], lines=[f"filter lua.bad http_payload all {side}"])


def judge_kept(proxies):
    """A filter that keeps the end of what has come keeps its stream no longer than a time-out."""
    Echo(args.back)

    def one(p):
        for leaves in False, True:
            with Client(where(p)) as c:
                c.s.sendall(c.request("kept", "POST", "/", "length", pattern(3000)))
                if leaves:
                    ends_by_reset(c.s)
                    continue
                try:
                    got = c.response()
                    said = got and got[0]
                except (EOFError, ConnectionError):
                    said = "broken off"
                check(f"{p.name}: {said}", said in (None, "broken off", 400, 408, 504))
    at_once(one, proxies)
    nothing_left()


# ---- memory --------------------------------------------------------------------------------------


def judge_memory(proxies):
    """Allocations fail at random: streams end, others go on; then all is given back."""
    Echo(args.back)
    whole = 0
    for i in range(3000):
        if i >= 300 and whole:  # else chance has let none through so far
            break
        p = proxies[i % len(proxies)]
        body = pattern(20000)
        try:
            with Client(where(p)) as c:
                c.send(c.request(f"m{i}", "POST", "/", "chunked", body, "trailers"))
                got = c.response()
                whole += not judge(p, c, f"m{i}", "POST", "/", "chunked", body, got)
                if got and got[0] == 200 and got[2] != changed(changed(body, p.kinds), p.kinds) and p.way == "h1" \
                        and "chunked" in got[1].get("transfer-encoding", ""):
                    check("a whole answer is right", False)
        except (OSError, EOFError):
            pass
    check(f"{whole} requests pass where memory fails", whole > 0)
    until("no session is left", lambda: not sessions())
    until("nothing of filters is left", lambda: not used())


# ---- workers -------------------------------------------------------------------------------------


def judge_reload(proxies):
    Echo(args.back)
    by = {p.name: p for p in proxies}
    p = by["h1_two"]
    body = pattern(2000000)
    with Client(where(p), small=True) as c:
        c.send(c.request("r", "POST", "/", "length", body))
        while len(c.r.held) < 100000:
            c.r.more(10000)
        check("a reload", "Success=1" in service.parent("reload"))
        in_a_row([by["h1_three"], by["h2_two"]], True)
        wrong = judge(p, c, "r", "POST", "/", "length", body, c.response())
        check(f"what was under way arrives whole: {wrong or 'as foretold'}", not wrong)
    with Client(where(p)) as c:
        c.send(c.request("k", path="/5000000"))
        while len(c.r.held) < 100000:
            c.r.more(10000)
        for pid in service.workers():
            os.kill(pid, signal.SIGKILL)
        try:
            got = c.response()
        except (EOFError, ConnectionResetError):
            got = None
        check("a killed worker takes its streams along", not got)


def judge_workers(proxies):
    """lua-load-per-thread: each worker has filters of its own."""
    Echo(args.back)
    until("four workers", lambda: len(service.workers()) == 4)
    for _ in range(6):
        in_a_row(proxies, False)


# ---- parts ---------------------------------------------------------------------------------------


few = [p for p in plenty() if p.name in ("h1_one", "h1_two", "h1_three", "h1_packed", "h2_three", "h2_two")]
every = list(plenty())
PARTS = {
    "bytes": (every, "", judge_bytes),
    "small": (few, "tune.bufsize 4096", judge_small),
    "large": (few, "tune.bufsize 131072\n\ttune.maxrewrite 4096", judge_small),
    "tcp": (list(streams()), "", judge_tcp),
    "bad": (list(misbehaving()), "tune.lua.burst-timeout 100ms\n\ttune.lua.maxmem 64", judge_bad),
    "ends": (list(endings()), "", judge_ends),
    "kept": (list(keepers()), "", judge_kept),
    "memory": (few, "tune.fail-alloc 2", judge_memory),
    "reload": (few, "", judge_reload),
    "workers": (few, "nbproc 4", judge_workers),
}
proxies, words, run = PARTS[args.part]
if args.print:
    load = "lua-load-per-thread" if args.part == "workers" else "lua-load"
    patience = "3s" if args.part in ("bad", "kept", "memory") else "2m"
    print(f"\t{words}\n\t{load} {args.scripts}\ndefaults\n\tmode http\n\ttimeout connect 30s\n"
          f"\ttimeout client {patience}\n\ttimeout server {patience}")
    for p in proxies:
        print(p.sections(args.dir, args.back, args.pem), end="")
    print(f"listen state\n\tbind unix@{args.dir}/state.sock\n\thttp-request use-service lua.state")
    sys.exit()
if args.part in ("bytes", "small", "large"):
    Echo(args.back)
run(proxies)
finish()
