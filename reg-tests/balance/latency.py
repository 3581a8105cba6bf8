# SPDX-License-Identifier: BSD-2-Clause
"""The origins of latency.sh and its claims: who gets how many of requests that come one by one."""

import os
import signal
import time

from http1 import reply
from origin import serve_each
from service import Service, check, connect, finish, read_all, until

REQUESTS = 80
SLOW = 2  # seconds: more than a quick one takes on a machine that has much to do


def origin(where, status=200, wait=0.0):
    def serve(c):
        if c.recv(65536):
            time.sleep(wait)  # what makes it slow
            c.sendall(reply(status=status))
    serve_each(where, serve)


def sessions(service, backend):
    return [int(service.stat(backend, name)["stot"]) for name in ("quick", "ill")]


def requests(service, backend):
    for _ in range(REQUESTS):
        service.get(f"/{backend}/")
    return sessions(service, backend)


def plain(service):
    """Connections of mode tcp; one that is refused ends without a byte."""
    for _ in range(REQUESTS):
        with connect(service.args.plain) as s:
            s.sendall(b"GET / HTTP/1.1\r\n\r\n")
            try:
                read_all(s)
            except ConnectionResetError:
                pass
    return sessions(service, "plain")


def main():
    service = Service("slow", "failing", "plain")
    origin(service.args.back)
    origin(service.args.slow, wait=SLOW)
    origin(service.args.failing, status=503)
    for backend, ask in ("slow", requests), ("failing", requests), ("plain", lambda s, _: plain(s)):
        quick, ill = ask(service, backend)
        check(f"{backend}: {ill} of {quick + ill} go to the server that is ill", ill <= 1)
        check(f"{backend}: all are served", quick + ill == REQUESTS)
    for _ in range(REQUESTS):
        if sessions(service, "slow")[1]:
            break
        service.get("/slow/")  # none has gone there yet: by chance
    before = sessions(service, "slow")[1]
    old = service.workers()
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    until("killed workers are replaced",
          lambda: len(service.workers()) == 4 and not set(service.workers()) & set(old))
    until("and serve", lambda: service.get("/failing/") == 200)
    quick, ill = requests(service, "slow")
    check(f"{ill - before} of {REQUESTS} go to the slow one then", ill - before <= (before == 0))
    finish()


main()
