# SPDX-License-Identifier: BSD-2-Clause
"""Requests in batches over many connections, to all workers at once: see rates_workers.sh."""

import re
import threading

from service import Service, ask, check, connect, finish, until

CONNECTIONS, BATCHES, BATCH = 32, 25, 40
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * BATCH
service = Service()
workers, begin = set(), threading.Barrier(CONNECTIONS)


def load():
    with connect(service.args.front) as s:
        begin.wait()
        for _ in range(BATCHES):
            s.sendall(REQUEST)
            got = b""
            while got.count(b"\r\n\r\n") < BATCH:
                got += s.recv(65536)
            workers.update(re.findall(rb"x-pid: (\d+)", got))


def entry():
    shown = ask(service.args.stats, "show table t")
    return {name: int(value) for name, value in re.findall(r"(\w+)(?:\(\d+\))?=(\d+)(?= |$)", shown, re.M)}


threads = [threading.Thread(target=load) for _ in range(CONNECTIONS)]
for t in threads:
    t.start()
for t in threads:
    t.join()
until("nobody is connected", lambda: entry()["conn_cur"] == 0)
found = entry()
requests = CONNECTIONS * BATCHES * BATCH
check(f"{len(workers)} workers have answered", len(workers) == 4)
check(f"{found['http_req_cnt']} of {requests} requests", found["http_req_cnt"] == requests)
check(f"their rate is {found['http_req_rate']}", found["http_req_rate"] == requests)
check(f"followed {found['conn_cnt']} times, a rate of {found['conn_rate']}",
      found["conn_cnt"] == found["conn_rate"] == requests)
finish()
