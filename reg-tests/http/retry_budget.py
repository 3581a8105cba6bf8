# SPDX-License-Identifier: BSD-2-Clause
"""The origin of retry_budget.sh, which answers when it is told to, and its claims."""

import os
import queue
import signal
import threading

from http1 import reply
from origin import serve_each
from service import Service, check, connect, finish, read_all, until

AT_ONCE = 20


class Origin:
    """Requests wait; release answers all that wait with one status."""

    def __init__(self, where):
        self.lock, self.waiting = threading.Lock(), []
        serve_each(where, self.answer)


    def release(self, status):
        with self.lock:
            waiting, self.waiting = self.waiting, []
        for said in waiting:
            said.put(status)

    def answer(self, s):
        if s.recv(65536):
            said = queue.Queue()
            with self.lock:
                self.waiting.append(said)
            s.sendall(reply(status=said.get()))


def request(service, backend):
    s = connect(service.args.front)
    s.sendall(f"GET /{backend}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return s


def statuses(clients):
    got = [read_all(s) for s in clients]
    return [int(g.split()[1]) if g.startswith(b"HTTP/1.1 ") else 0 for g in got]


def denied(service, backend):
    return int(service.stat(backend, "BACKEND")["retr_denied"])


def a_share(service, origin):
    clients = [request(service, "share") for _ in range(AT_ONCE)]
    until("all requests wait", lambda: len(origin.waiting) == AT_ONCE)
    origin.release(503)
    until("each is tried again or not",
          lambda: len(origin.waiting) + denied(service, "share") == AT_ONCE)
    retried = len(origin.waiting)
    # 4 is a fifth; two who ask for the last place at once may both hear no.
    check(f"{retried} of {AT_ONCE} are tried again at once", 3 <= retried <= 4)
    origin.release(200)
    got = statuses(clients)
    check("these are answered", got.count(200) == retried)
    check("the others have the first answer", got.count(503) == AT_ONCE - retried)
    client = request(service, "share")
    until("it waits", lambda: len(origin.waiting) == 1)
    origin.release(503)
    until("what has ended does not count any more", lambda: len(origin.waiting) == 1)
    origin.release(200)
    check("and is answered", statuses([client]) == [200])


def one_is_tried_again(service, origin):
    client = request(service, "one")
    until("a request waits", lambda: len(origin.waiting) == 1)
    origin.release(503)
    until("the least is allowed, whatever the share", lambda: len(origin.waiting) == 1)
    return client


def killed(service, origin):
    first = one_is_tried_again(service, origin)
    second = request(service, "one")
    until("a second request waits", lambda: len(origin.waiting) == 2)
    held = origin.waiting.pop(0)  # the retry goes on
    origin.release(503)
    check("it gets no retry meanwhile", statuses([second]) == [503])
    busy = [pid for n, pid in enumerate(service.workers(), 1)
            if int(service.stat("one", "BACKEND", lambda c, n=n: service.worker(n, c))["scur"])]
    old = service.workers()
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    check("a worker was in the middle of it", len(busy) >= 1)
    until("killed workers are replaced",
          lambda: len(service.workers()) == 2 and not set(service.workers()) & set(old))
    third = one_is_tried_again(service, origin)
    origin.release(200)
    check("their retries count no more", statuses([third]) == [200])
    first.close()
    held.put(503)


def main():
    service = Service()
    origin = Origin(service.args.back)
    a_share(service, origin)
    killed(service, origin)
    client = request(service, "none")
    until("a request waits", lambda: len(origin.waiting) == 1)
    origin.release(503)
    check("no budget, no retry", statuses([client]) == [503] and not origin.waiting)
    check("of connections neither", service.get("/refused/") == 503)
    check("and it is counted", denied(service, "none") == 1 and denied(service, "refused") == 1)
    finish()


main()
