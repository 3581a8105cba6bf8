# SPDX-License-Identifier: BSD-2-Clause
"""What left_unheard.sh describes. The process stands still while the client leaves, then the
answers come, so it hears of both at once."""

import collections
import os
import signal
import socket
import threading

from frames import Client, request
from origin import Origin
from service import PATIENCE, Service, check, finish, until
from sockets import ends_by_reset

STREAMS = 40
svc = Service(lambda p: p.add_argument("--logs", type=int))
logger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
logger.bind(("127.0.0.1", svc.args.logs))
logger.settimeout(PATIENCE)
hold = threading.Event()
told = threading.Semaphore(0)


class Telling(Origin):
    def answer(self, s, path):
        super().answer(s, path)
        told.release()


server = Telling(svc.args.back, hold)
c = Client(svc.args.front)
for n in range(STREAMS):
    c.open(request(f"/{n}"))
until(f"{STREAMS} requests are at the server", lambda: server.now == STREAMS)
os.kill(svc.pid, signal.SIGSTOP)
try:
    ends_by_reset(c.sock)
    c.close()
    hold.set()
    answers = sum(told.acquire(timeout=PATIENCE) for _ in range(STREAMS))
finally:
    os.kill(svc.pid, signal.SIGCONT)
check(f"{answers} answers have left", answers == STREAMS)
lines = collections.Counter(" ".join(logger.recv(1000).decode().split()[1:])
                            for _ in range(STREAMS))
check(f"{STREAMS} lines: {dict(lines)}", lines["400 CH"] and not lines.keys() - {"400 CH", "200 --"})
finish()
