# SPDX-License-Identifier: BSD-2-Clause
"""The traffic of chaos.sh: clients that break off, servers that die, and one that is well-behaved."""

import random
import socket
import struct
import threading
import time

from service import Service, address, check, finish

svc = Service(lambda p: (p.add_argument("--tcp"), p.add_argument("--seed", type=int),
                         p.add_argument("--seconds", type=float)))
rnd = random.Random(svc.args.seed)
over = time.monotonic() + svc.args.seconds
good, bad = [0], []


def answer(s):
    """A server: each path but /plain may be answered late, by halves, or not at all."""
    with s:
        try:
            while got := s.recv(65536):
                plain = b" /plain" in got
                how = 0 if plain else rnd.randrange(6)
                if how == 1:
                    time.sleep(rnd.random() / 10)
                if how == 2:
                    s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\nhalf")
                if how in (2, 3):
                    return
                s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        except OSError:
            pass


def serve():
    listener = socket.create_server(address(svc.args.back), backlog=1000)
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def request():
    kind = rnd.choice(["a", "a", "f", "c", "h", "h", "r", "x"])
    path = rnd.choice([f"/{kind}{rnd.randrange(10)}"] * 20 + ["/deep", "/forget", "/many"])
    body = b"x" * rnd.choice([0, 0, 5, 60000])
    return (f"{rnd.choice(['GET', 'POST', 'HEAD'])} {path} HTTP/1.1\r\nHost: x\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode() + body


def break_off():
    """One client: sends all or a part, waits or not, ends or resets."""
    try:
        with socket.create_connection(address(rnd.choice([svc.args.front] * 3 + [svc.args.tcp])), 5) as s:
            s.settimeout(rnd.choice([0.001, 0.02, 0.1, 1]))
            said = request()
            s.sendall(said[:rnd.randrange(len(said))] if rnd.random() < 0.2 else said)
            if rnd.random() < 0.2:
                s.shutdown(socket.SHUT_WR)
            if rnd.random() < 0.8:
                s.recv(rnd.choice([1, 65536]))
            if rnd.random() < 0.5:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    except OSError:
        pass


def clients():
    while time.monotonic() < over:
        break_off()


def well_behaved():
    while time.monotonic() < over:
        status = svc.get("/plain")
        good[0] += 1
        if status != 200:
            bad.append(status)


def streams():
    return sum(int(svc.stat(px, "FRONTEND")["scur"]) for px in ("fe", "tcp"))


threading.Thread(target=serve, daemon=True).start()
threads = [threading.Thread(target=clients) for _ in range(6)] + [threading.Thread(target=well_behaved)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(f"{good[0]} well-behaved requests beside, of which {bad[:5]} failed", good[0] > 0 and not bad)
end = time.monotonic() + 30
while streams() and time.monotonic() < end:
    time.sleep(0.1)
left = streams()
check(f"no stream is left ({left})", not left)
check("it serves", svc.get("/plain") == 200)
finish()
