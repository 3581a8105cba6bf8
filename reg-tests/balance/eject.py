# SPDX-License-Identifier: BSD-2-Clause
"""The origins of eject.sh and its claims."""

import os
import signal
import time

from http1 import reply
from origin import serve_each
from service import PATIENCE, Service, check, finish, until

SLOW = 0.1  # seconds
ORIGINS = ["a", "b", "failing", "slow", "broken"]


def origin(port, wait=0.0, fails=0):
    """One request in so many is answered with 503."""
    asked = [0]

    def serve(c):
        while c.recv(65536):
            asked[0] += 1
            time.sleep(wait)  # what makes it slow
            c.sendall(reply(status=503 if fails and asked[0] % fails == 0 else 200))
    serve_each(f"127.0.0.1:{port}", serve)


def status(service, backend, name="ill", through=None):
    return service.stat(backend, name, through)["status"]


def everywhere(service, backend, wanted):
    return all(status(service, backend, through=lambda c, n=n: service.worker(n, c)) == wanted
               for n in (1, 2))


def ask_until(service, backend, sentence, condition):
    """Requests, until it holds."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        for _ in range(20):
            service.get(f"/{backend}/")
    check(sentence, condition())


def sessions(service, backend):
    return int(service.stat(backend, "ill")["stot"])


def state_bits(service, backend):
    rows = [line.split() for line in service.ask("show servers state " + backend).splitlines()]
    return next(int(row[6]) for row in rows if len(row) > 6 and row[3] == "ill")


def errors(service):
    ask_until(service, "errors", "a server that fails one request in five is ejected",
              lambda: status(service, "errors") == "DRAIN (ejected)")
    until("in all workers", lambda: everywhere(service, "errors", "DRAIN (ejected)"))
    check("the log says why",
          service.logged("Server errors/ill is ejected for 3600000 ms (ejection 1): of ") and
          service.logged("% failed, of the others' 0%. 2 active and 0 backup servers left."))
    check("and show servers state", state_bits(service, "errors") == 0x80)
    check("and the counter", service.stat("errors", "ill")["ejections"] == "1")
    before = sessions(service, "errors")
    got = [service.get("/errors/") for _ in range(60)]
    check("it gets no sessions, and nothing fails",
          sessions(service, "errors") == before and set(got) == {200})


def by_command(service):
    for command in "set server errors/ill state ready", "enable server errors/ill":
        service.ask(command)
        until(f"{command}: it is back in all workers",
              lambda: everywhere(service, "errors", "no check"))
        before = sessions(service, "errors")
        for _ in range(9):
            service.get("/errors/")
        check("and gets sessions", sessions(service, "errors") > before)
        ask_until(service, "errors", "until it is ejected again",
                  lambda: status(service, "errors") == "DRAIN (ejected)")
    check("and longer each time",
          service.logged("is ejected for 7200000 ms (ejection 2)") and
          service.logged("is ejected for 7200000 ms (ejection 3)"))
    check("the log says that it was back",
          service.logged("Server errors/ill is back (no longer ejected). 3 active") >= 2)


def replaced(service, how, act):
    old = service.workers()
    act(old)
    until(f"{how}: others serve", lambda: len(service.workers()) == 2 and
          not set(service.workers()) & set(old))
    until("it is ejected as before", lambda: everywhere(service, "errors", "DRAIN (ejected)"))


def slow(service):
    ask_until(service, "slow", "a slow server is ejected",
              lambda: service.logged("Server slow/ill is ejected for 1000 ms (ejection 1): its "))
    until("it comes back by itself", lambda: service.logged("Server slow/ill is back"))


def main():
    service = Service(lambda p: [p.add_argument(name, type=int) for name in ORIGINS])
    origin(service.args.a)
    origin(service.args.b)
    origin(service.args.failing, fails=5)
    origin(service.args.slow, wait=SLOW)
    origin(service.args.broken, fails=1)
    errors(service)
    by_command(service)
    replaced(service, "killed workers", lambda old: [os.kill(pid, signal.SIGKILL) for pid in old])
    replaced(service, "a reload", lambda old: service.parent("reload"))
    slow(service)
    for _ in range(200):
        service.get("/alike/")
        service.get("/never/")
    check("of servers that fail alike none is ejected", not service.logged("Server alike/"))
    check("nor where there is no eject", not service.logged("Server never/"))
    finish()


main()
