# SPDX-License-Identifier: BSD-2-Clause
"""Called by ecmp.sh; see machines.py. The part of BGP is played by a thread for each machine, which
asks its monitor-uri and has the router's routes changed."""
import signal
import socket
import subprocess
import sys
import threading
import time

from machines import NUMBER, end, inside, request, start
from service import check, until

HOPS = {"left": "192.0.2.1", "right": "192.0.2.2"}
announced = {}
lock = threading.Lock()


def alive():
    try:
        with socket.create_connection(("127.0.0.1", 8404), 1) as s:
            s.sendall(b"GET /alive HTTP/1.0\r\n\r\n")
            return b" 200 " in s.recv(100)
    except OSError:
        return False


def announce(name):
    """Five times a second: can this machine serve?"""
    inside(name)
    while True:
        good = alive()
        with lock:
            if announced.get(name) != good:
                announced[name] = good
                hops = [word for n in HOPS if announced.get(n) for word in ("nexthop", "via", HOPS[n])]
                route = ["replace", "192.0.2.10/32", *hops] if hops else ["flush", "192.0.2.10/32"]
                subprocess.run(["ip", "-n", f"penstock-router{NUMBER}", "route", *route], check=True)
        time.sleep(0.2)


def sessions(machine):
    return int(machine.ask("show stat web 1 -1").split("\n")[1].split(",")[7])


class Kept:
    """A connection that stays."""
    def __init__(self):
        self.s = socket.create_connection(("192.0.2.10", 80), 5)

    def ask(self):
        try:
            self.s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            return self.s.recv(1000).startswith(b"HTTP/1.1 200")
        except OSError:
            return False


machines = start(False)
left, right = machines["left"], machines["right"]
try:
    for name in HOPS:
        threading.Thread(target=announce, args=(name,), daemon=True).start()
    until("both machines are announced", lambda: announced == {"left": True, "right": True})
    until("the service answers", lambda: request()[0] == 200)
    where = {}
    for n in range(20):
        where[f"s{n}"] = request(f"/login/s{n}")[2]
    check(f"connections of one client reach both machines: {sessions(left)} and {sessions(right)}",
          min(sessions(left), sessions(right)) >= 3)
    check("sessions are on both servers", set(where.values()) == {"app1", "app2"})
    until("the machines know of each other's sessions", lambda: left.ask("show table app").count("key=s") ==
          right.ask("show table app").count("key=s") == 20)
    check("a session stays with its server, whichever machine a request reaches",
          all((request("/", s) or (0, 0, None))[2] == name for _ in range(3) for s, name in where.items()))

    kept, mine = [], {left: 0, right: 0}
    while len(kept) < 60 and min(mine.values()) < 5:
        before = sessions(left)
        one = Kept()
        if one.ask():
            mine[left if sessions(left) > before else right] += 1
            kept.append((one, sessions(left) > before))
    when = time.monotonic()
    right.end(right.penstock, signal.SIGKILL)
    until("the machine whose service is gone is not announced", lambda: not announced["right"])
    until("all new connections are served", lambda: all(request()[0] == 200 for _ in range(20)))
    print(f"        after {time.monotonic() - when:.2f} s", flush=True)
    check(f"{mine[left]} connections of the other machine go on", all(k.ask() for k, is_left in kept if is_left))
    check(f"{mine[right]} connections of this one are lost", not any(k.ask() for k, is_left in kept if not is_left))
    check("all sessions stay with their servers", all(
        (request("/", s) or (0, 0, None))[2] == name for s, name in where.items()))
    meanwhile = [Kept() for _ in range(30)]
    check("connections that are made meanwhile are served", all(k.ask() for k in meanwhile))
    right.start_penstock()
    until("it is announced again", lambda: announced["right"])
    until("and serves", lambda: [request() for _ in range(5)] and sessions(right) > 3)
    lost = sum(not k.ask() for k in meanwhile)
    check(f"of 30 connections that were made meanwhile the router leads {lost} elsewhere", 0 < lost < 30)
    check("with the sessions that it learned", right.ask("show table app").count("key=s") == 20 and all(
        (request("/", s) or (0, 0, None))[2] == name for s, name in where.items()))
finally:
    status = end(machines)
sys.exit(status)
