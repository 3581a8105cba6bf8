# SPDX-License-Identifier: BSD-2-Clause
"""Run by slow_readers.sh: what a stream costs whose client reads nothing of the answer."""

import socket
import struct
import time

from frames import (ACK, DATA, END_HEADERS, END_STREAM, HEADERS, INITIAL_WINDOW_SIZE, RST_STREAM,
                    SETTINGS, WINDOW_UPDATE, Client, arriving, block, frame, settings, window)
from origin import serve_each
from service import Service, check, connect, finish, read_all, until

SIZE, EACH = 8 << 20, 100
PIECE = b"".join(b"%07d " % i for i in range(2048))
HEAD = frame(HEADERS, END_HEADERS, 0, block([(":status", "200"), ("content-length", str(SIZE))]))
svc = Service(lambda p: (p.add_argument("--h2"), p.add_argument("--usual", action="store_true")))
sent = 0  # bytes of bodies, by all connections to the server


def serve(s):
    """Sends to each stream what its window allows, at once."""
    global sent
    first = whole = 65535
    rooms, left = {}, {}
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    s.sendall(settings())
    for f in arriving(s):
        out = []
        if f.kind == SETTINGS and not f.flags & ACK:
            for at in range(0, len(f.payload), 6):
                setting, value = struct.unpack(">HI", f.payload[at:at + 6])
                first = value if setting == INITIAL_WINDOW_SIZE else first
            out.append(frame(SETTINGS, ACK))
        elif f.kind == HEADERS:
            rooms[f.stream], left[f.stream] = first, SIZE
            out.append(HEAD[:5] + struct.pack(">I", f.stream) + HEAD[9:])
        elif f.kind == WINDOW_UPDATE and not f.stream:
            whole += struct.unpack(">I", f.payload)[0]
        elif f.kind == WINDOW_UPDATE and f.stream in rooms:
            rooms[f.stream] += struct.unpack(">I", f.payload)[0]
        elif f.kind == RST_STREAM:
            rooms.pop(f.stream, None)
        for stream in list(rooms):
            while n := min(rooms[stream], left[stream], whole, len(PIECE)):
                at = (SIZE - left[stream]) % len(PIECE)
                n = min(n, len(PIECE) - at)
                left[stream] -= n
                rooms[stream] -= n
                whole -= n
                sent += n
                out.append(frame(DATA, 0 if left[stream] else END_STREAM, stream, PIECE[at:at + n]))
            if not left[stream]:
                del rooms[stream]
        s.sendall(b"".join(out))


def private():
    with open(f"/proc/{svc.pid}/smaps_rollup") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Private_"))


def stuck(streams):
    """So many are open, and nothing more comes for them."""
    seen = []

    def still():
        seen.append(sent)
        time.sleep(0.1)
        return len(seen) > 10 and seen[-10] == sent

    until("they are open", lambda: int(svc.info()["CurrConns"]) >= streams)
    until("nothing more comes", still)


def silent(to, count, first=None, each=1):
    """Clients with so many requests together, that read nothing."""
    held = []
    for _ in range(count // each):
        if first is None:
            held.append(connect(to))
            held[-1].sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        else:
            held.append(Client(to, first))
            for _ in range(each):
                held[-1].open()
    return held


def whole(what):
    s = connect(svc.args.front)
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    got = read_all(s)
    s.close()
    body = got.partition(b"\r\n\r\n")[2]
    check(what + " one that reads gets all", body == PIECE * (SIZE // len(PIECE)))


def cost(what, before, most):
    each = (private() - before) / EACH
    check("%s: %.1f kB each, at most %d" % (what, each, most), each <= most)


def main():
    serve_each(svc.args.back, serve)
    before = private()
    if svc.args.usual:
        # A window to the server is no larger than what the client's lets pass.
        held = silent(svc.args.h2, EACH, settings() + window(0, 1 << 20))
        stuck(EACH)
        cost("windows of 64 kB, which are never made larger", before, 110)
        del held
        finish()
    shut = silent(svc.args.h2, EACH, settings((INITIAL_WINDOW_SIZE, 0)) + window(0, 1 << 20), 10)
    stuck(EACH // 10)
    cost("closed windows", before, 45)

    before = private()
    held = silent(svc.args.front, EACH)
    stuck(EACH + len(shut))
    cost("that begin together", before, 80)
    before = private()
    held += silent(svc.args.front, EACH)
    stuck(2 * EACH + len(shut))
    cost("that begin beside those", before, 50)
    whole("beside them")
    for s in held:
        s.close()
    finish()


main()
