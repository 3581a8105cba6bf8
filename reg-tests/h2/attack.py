# SPDX-License-Identifier: BSD-2-Clause
"""
Runs an attack beside another client, and says what it has cost. The program of the test defines
attack(): it runs in a process of its own, connects and pours. It is called again and again, one
connection at a time, for some seconds, and each time returns how it went, as text. expected: what
all of them have to be. What a program may use is what is imported here, and pour, flood, SECONDS.
"""

import json
import os
import select
import signal
import struct  # as frames: for the programs
import time

from frames import *
from origin import Origin
from service import PATIENCE, Service, check, connect, finish, until

SECONDS = 2     # of an attack
STRICT = os.environ.get("PENSTOCK_STRICT")
MEMORY = 2 if STRICT else 4  # MB that the attacker's connection may cost


def extra(parser):
    parser.add_argument("--plain")
    parser.add_argument("--program")
    parser.add_argument("--sanitized", action="store_true")


service = Service(extra)
names = {CODE: name for name, CODE in globals().items() if name in (
    "NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED "
    "FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM")
    .split()}


def attacker(**how):
    """A connection that penstock has accepted as one of HTTP/2."""
    c = Client(service.args.front, **how)
    assert c.wait(lambda f: f.kind == SETTINGS)
    return c


def last_words(c):
    """How the connection ended."""
    codes = [f.code for f in c.seen if f.kind == GOAWAY]
    return "GOAWAY " + names[codes[-1]] if codes else "closed"


def pour(c, pieces, reads=True):
    """Sends the pieces, one after the other, as fast as they are taken, and forgets what is heard;
    how the connection ended, or "open"."""
    deadline = time.monotonic() + PATIENCE
    c.sock.setblocking(False)
    out = b""
    for piece in pieces:
        out += piece
        while len(out) > 65536 and not c.over:
            out = pour_some(c, out, deadline, reads)
        if c.over or time.monotonic() > deadline:
            break
    while out and not c.over and time.monotonic() < deadline:
        out = pour_some(c, out, deadline, reads)
    c.sock.setblocking(True)
    while c.receive(20):
        pass
    return last_words(c) if c.over else "open"


def pour_some(c, out, deadline, reads):
    """What is left; none when the connection has ended."""
    readable, writable, _ = select.select([c.sock] if reads else [], [c.sock], [],
                                          max(0, min(1, deadline - time.monotonic())))
    try:
        if writable:
            out = out[c.sock.send(out):]
    except OSError:
        c.sock.setblocking(True)
        while c.receive(10):
            pass
        c.over = True
    if readable and not c.over:
        c.receive(0)
        c.seen = [f for f in c.seen if f.kind == GOAWAY]
    return b"" if c.over or time.monotonic() > deadline else out


def flood(piece, count=1000000, many=100, **how):
    """A connection that says the same for ever; piece: bytes, or made out of a number."""
    c = attacker(**how)
    one = (lambda i: b"".join(piece(i * many + k) for k in range(many))) if callable(piece) else \
        (lambda i: piece * many)
    ended = pour(c, (one(i) for i in range(count // many)))
    c.close()
    return ended


def child(run):
    """Runs it in a process; its pid and where its result comes."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            result = run()
        except BaseException as e:
            result = ["failed: " + repr(e)]
        with open(writer, "w", encoding="ascii") as out:
            json.dump(result, out)  # of any length
        os._exit(0)
    os.close(writer)
    return pid, reader


def resident():
    """Bytes of memory."""
    with open(f"/proc/{service.pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def p99(times):
    return sorted(times)[len(times) * 99 // 100]


def visit(s):
    """A request of the other client; how long it took."""
    begun = time.monotonic()
    s.sendall(b"GET /here HTTP/1.1\r\nHost: x\r\n\r\n")
    got = b""
    while not got.endswith(b"hello"):
        piece = s.recv(4096)
        assert piece, "the other client is left alone"
        got += piece
    return time.monotonic() - begun


def visits(seconds):
    s = connect(service.args.plain)
    end, times = time.monotonic() + seconds, []
    while time.monotonic() < end or len(times) < 100:
        times.append(visit(s))
    s.close()
    return times


def attacks(attack):
    end, how = time.monotonic() + SECONDS, []
    while time.monotonic() < end or not how:
        how.append(attack()[:200])
    return how


def measure(attack, expected, seconds=None):
    pid, _ = child(lambda: (Origin(service.args.back), signal.pause()))
    until("the server is there", lambda: connect(service.args.back).close() or True)
    c = attacker()
    check("a request", c.ends(c.open()) == (200, b"hello"))
    c.close()
    before = visits(SECONDS)
    flooder, result = child(lambda: attacks(attack))
    memory, most, times = resident(), 0, []
    s = connect(service.args.plain)
    while not select.select([result], [], [], 0)[0]:
        times.append(visit(s))
        most = max(most, resident() - memory)
    with open(result, encoding="ascii") as f:
        how = json.load(f)
    os.waitpid(flooder, 0)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    said = {word: how.count(word) for word in how}
    check(f"each of {len(how)} connections ended as it has to: {said}, wanted {expected}",
          set(how) <= set(expected))
    quiet, loud = p99(before), p99(times) if times else 0
    check(f"p99 of another client: {quiet * 1000:.2f} ms, {loud * 1000:.2f} ms under the attack, "
          f"at most {max(times, default=0) * 1000:.2f} ms of {len(times)}",
          loud < 2 * quiet if STRICT else loud < 2 * quiet + 1)
    if not service.args.sanitized:
        check(f"{most / 1e6:.2f} MB more while it ran, at most {MEMORY}", most < MEMORY * 1e6)
    left = lambda: service.info()["CurrConns"]
    s.close()
    until("nothing of it is left", lambda: int(left()) == 0 and service.stat("fe", "FRONTEND")["scur"]
          == "0")


if __name__ == "__main__":
    program = {**globals(), "__name__": "program"}
    with open(service.args.program) as f:
        exec(compile(f.read(), service.args.program, "exec"), program)
    MEMORY, SECONDS = program["MEMORY"], program["SECONDS"]
    measure(program["attack"], program["expected"])
    if "afterwards" in program:
        program["afterwards"]()
    finish()
