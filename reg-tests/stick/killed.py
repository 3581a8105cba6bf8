# SPDX-License-Identifier: BSD-2-Clause
"""Workers that are killed while they follow entries, and reloads: see killed.sh."""

import os
import re
import signal
import threading

from service import Service, check, connect, finish, until

service = Service()
CLIENTS, REQUESTS, KEPT, KILLS = 4, 300, 30, 6


def entry(table, key):
    """What is stored, and use."""
    said = service.ask(f"show table {table} key {key}")
    return {name.split("(")[0]: int(value)
            for name, value in re.findall(r" ([\w()]+)=(\d+)", said)}


def ask(s, path="/"):
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    got = b""
    while b"ok" not in got.partition(b"\r\n\r\n")[2]:
        piece = s.recv(65536)
        if not piece:
            raise ConnectionError
        got += piece


def client(n):
    with connect(service.args.front) as s:
        for i in range(REQUESTS):
            ask(s, f"/?k={i % 50}")


def all_at_once():
    threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def keep(number):
    kept = [connect(service.args.front) for _ in range(number)]
    for s in kept:
        ask(s, "/?k=kept")
    return kept


def is_open(s):
    try:
        ask(s)
        return True
    except OSError:
        return False


all_at_once()
sums = [entry("keys", i) for i in range(50)]
each = CLIENTS * REQUESTS // 50
check(f"each request of {CLIENTS} clients is counted once",
      all(e["http_req_cnt"] == e["http_req_rate"] == each for e in sums))
until("nobody is left", lambda: entry("addresses", "127.0.0.1")["conn_cur"] == 0)

for n in range(KILLS):
    until("three serve", lambda: len(service.workers()) == 3)
    kept = keep(KEPT)
    victim = service.workers()[n % 3]
    os.kill(victim, signal.SIGKILL)
    until(f"worker {victim} is gone", lambda: victim not in service.workers())
    left = [s for s in kept if is_open(s)]
    until(f"{len(left)} of {KEPT} are left, and so many are counted",
          lambda: entry("addresses", "127.0.0.1")["conn_cur"] == len(left)
          and entry("addresses", "127.0.0.1")["use"] == len(left))
    for s in kept:
        s.close()
until("nobody is left", lambda: entry("addresses", "127.0.0.1")["conn_cur"] == 0)
check("nobody uses it", entry("addresses", "127.0.0.1")["use"] == 0)

before = entry("keys", "7")["http_req_cnt"]
service.parent("reload")
until("the old workers leave", lambda: not service.old_workers())
check("the table is there", entry("keys", "7")["http_req_cnt"] == before)
with open(service.cfg) as f:
    head = f.read()
with open(service.cfg, "w") as f:
    f.write(head.replace("size 100 ", "size 200 "))
service.parent("reload")
until("the old workers leave", lambda: not service.old_workers())
until("a table that is declared otherwise is empty", lambda: "size:200, used:0" in
      service.ask("show table keys"))
check("the log says so", service.logged("Stick table 'keys' begins anew") == 1)
check("the other goes on", entry("addresses", "127.0.0.1")["conn_cnt"] > 0)
finish()
