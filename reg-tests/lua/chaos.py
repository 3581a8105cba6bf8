# SPDX-License-Identifier: BSD-2-Clause
"""The traffic of chaos.sh: clients that break off, servers that die, and one that is
well-behaved."""

import os
import random
import signal
import socket
import threading
import time

import frames
import service
from http1 import reply
from origin import serve_each
from service import Service, address, ask, check, connect, finish, until
from sockets import ends_by_reset


def options(parser):
    for name in "part", "tcp", "h2":
        parser.add_argument("--" + name)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seconds", type=float)


svc = Service(options)
part = svc.args.part
rnd = random.Random(svc.args.seed)
service.PATIENCE = 60
over = time.monotonic() + svc.args.seconds
good, bad = [0], []


def answer(s):
    """A server: each path but /plain may be answered late, by halves, or not at all."""
    while got := s.recv(65536):
        plain = b" /plain" in got
        how = 0 if plain else rnd.randrange(6)
        if how == 1:
            time.sleep(rnd.random() / 10)
        if how == 2:
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\nhalf")
        if how in (2, 3):
            return
        s.sendall(reply(b"hello"))


def some_path():
    kind = rnd.choice("aafchhrx")
    return rnd.choice([f"/{kind}{rnd.randrange(10)}"] * 20 + ["/deep", "/forget", "/many"])


def request():
    body = b"x" * rnd.choice([0, 0, 5, 60000])
    return (f"{rnd.choice(['GET', 'POST', 'HEAD'])} {some_path()} HTTP/1.1\r\nHost: x\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def h2_request():
    """Some streams; what ends them, and whether, is left to chance."""
    said = frames.PREFACE + frames.settings()
    for stream in range(1, 2 * rnd.randint(1, 5), 2):
        body = rnd.choice([b"", b"", b"hello", b"x" * 16000])
        fields = [(":method", rnd.choice(["GET", "POST"])), (":scheme", "http"), (":authority", "x"),
                  (":path", some_path())]
        said += frames.frame(frames.HEADERS, frames.END_HEADERS | (0 if body else frames.END_STREAM), stream,
                             frames.block(fields))
        if body:
            said += frames.frame(frames.DATA, rnd.choice([0, frames.END_STREAM]), stream, body)
        said += rnd.choice([b"", b"", frames.rst(stream), frames.window(stream, 5)])
    return said + rnd.choice([b"", b"", frames.frame(frames.GOAWAY, 0, 0, bytes(8)), b"\0\0"])


def break_off():
    """One client: sends all or a part, waits or not, ends or resets."""
    to, say = rnd.choice([(svc.args.front, request)] * 3 + [(svc.args.tcp, request)] + [(svc.args.h2, h2_request)] * 2)
    try:
        with socket.create_connection(address(to), 5) as s:
            s.settimeout(rnd.choice([0.001, 0.02, 0.1, 1]))
            said = say()
            s.sendall(said[:rnd.randrange(len(said))] if rnd.random() < 0.2 else said)
            if rnd.random() < 0.2:
                s.shutdown(socket.SHUT_WR)
            if rnd.random() < 0.8:
                s.recv(rnd.choice([1, 65536]))
            if rnd.random() < 0.5:
                ends_by_reset(s)
    except OSError:
        pass


def command():
    """One that a script answers, and that may be left before it has."""
    try:
        with connect(svc.args.stats) as s:
            s.settimeout(rnd.choice([0.001, 0.1, 1]))
            s.sendall(f"chaos {rnd.randrange(10)} word\n".encode())
            s.recv(100)
    except OSError:
        pass


def clients():
    while time.monotonic() < over:
        break_off()


def commands():
    while time.monotonic() < over:
        command()
        time.sleep(0.01)


def get():
    try:
        return svc.get("/plain")
    except OSError:
        return 0


def well_behaved():
    """Where workers are killed and memory runs out, single requests may be lost."""
    while time.monotonic() < over:
        status = get()
        good[0] += status == 200
        if status != 200 and part == "alone":
            bad.append(status)


def trouble():
    """Workers are killed, and replaced by a new generation."""
    while time.monotonic() < over:
        time.sleep(rnd.uniform(0.2, 2))
        try:
            if rnd.random() < 0.5:
                os.kill(rnd.choice(svc.workers()), signal.SIGKILL)
            else:
                ask(svc.args.parent, "reload")
        except (OSError, LookupError):
            pass  # it has gone already


def asks():
    """How each of the processes is asked."""
    return [svc.ask] if part != "workers" else [lambda c, n=n: svc.worker(n, c) for n in (1, 2)]


def current(ask):
    """The streams of each proxy. `other` is not shown when a script has stopped it."""
    rows = [line.split(",") for line in ask("show stat").splitlines()]
    return {row[0]: int(row[4]) for row in rows if row[1:2] == ["FRONTEND"]}


def streams():
    """Those of all workers; the command itself may find no memory."""
    now = [current(ask) for ask in asks()]
    return sum(sum(each.values()) for each in now) if all("fe" in each for each in now) else -1


serve_each(svc.args.back, answer)
threads = [threading.Thread(target=clients) for _ in range(6)]
threads += [threading.Thread(target=f) for f in [well_behaved, commands] + [trouble] * (part == "workers")]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(f"{good[0]} well-behaved requests beside, of which {bad[:5]} failed", good[0] > 0 and not bad)
if part == "workers":
    if not until("no worker is left of an earlier generation", lambda: not svc.old_workers()):
        print(svc.parent("show proc"))
        for pid in svc.old_workers():
            print(pid, svc.parent(f"@!{pid} show sess all")[:20000])
if not until("no stream is left", lambda: streams() == 0):
    for ask in asks():
        print(current(ask))
        print(ask("show sess all")[:20000])
until("it serves", lambda: get() == 200)
finish()
