# SPDX-License-Identifier: BSD-2-Clause
"""What storm.sh describes."""

import os
import signal
import struct
import threading

from frames import DATA, END_STREAM, INITIAL_WINDOW_SIZE, Client, frame, request, settings, window
from h2_server import H2Server, body_of
from service import Service, address, check, finish, until

DAY, YEAR, SIZE = 86400, 365 * 86400, 300000
svc = Service("ahead")
server = H2Server(address(svc.args.back)[1])
over, good, bad = threading.Event(), [], []


def client():
    """Downloads, and uploads that come back, several at once."""
    while not over.is_set():
        c = Client(svc.args.front, settings((INITIAL_WINDOW_SIZE, SIZE)) + window(0, 1 << 28))
        for _ in range(5):
            down = [c.open(request(f"/n/{SIZE}")) for _ in range(4)]
            up = c.open(request("/echo", "POST"), False)
            for at in range(0, 60000, 10000):
                c.send(frame(DATA, END_STREAM if at == 50000 else 0, up, body_of(60000)[at:at + 10000]))
            c.send(window(0, 60000))
            ends = [c.ends(s) == (200, body_of(SIZE)) for s in down] + [c.ends(up) == (200, body_of(60000))]
            (good if all(ends) else bad).append(ends)
        c.close()


def more(n):
    wanted = len(good) + n
    until(f"{wanted} rounds are whole", lambda: len(good) >= wanted or bad)


held = Client(svc.args.front)
waits = held.open(request("/hold"))
until("a stream waits", lambda: len(server.held) == 1)
clients = [threading.Thread(target=client) for _ in range(3)]
for t in clients:
    t.start()
more(3)
for n in range(300):
    os.kill(svc.pid, signal.SIGHUP)
    os.kill(svc.pid, signal.SIGTTIN)
    os.kill(svc.pid, signal.SIGPIPE)
more(3)
for seconds in DAY, -10 * YEAR, 30 * YEAR, 0:
    with open(svc.args.ahead, "r+b") as f:
        f.write(struct.pack("q", seconds))
    more(5)
over.set()
for t in clients:
    t.join()
check(f"{len(good)} rounds whole, none broken: {bad[:2]}", not bad)
server.release()
check("who waited is answered", held.ends(waits) == (200, b"held"))
check("its connection is what it was", held.ping() and not held.over)
check("no fault at the server", not server.faults)
finish()
