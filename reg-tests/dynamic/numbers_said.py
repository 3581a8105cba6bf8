# SPDX-License-Identifier: BSD-2-Clause
"""What numbers.sh describes."""

import os
import re
import signal
import threading

from origin import Origin
from service import Service, check, connect, finish, read_all, until

service = Service()
origin = Origin(service.args.back)
REQUEST = b"GET /%d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
METRICS = {"scur": "current_sessions", "qcur": "current_queue", "stot": "sessions_total",
           "safe_conn_cur": "safe_idle_connections_current", "weight": "weight", "slim": "limit_sessions"}


def exported():
    s = connect(service.args.front)
    s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return read_all(s).decode()


def metrics():
    found = re.findall(r'^haproxy_server_(\w+)\{proxy="be",server="n1"\} (\d+)$', exported(), re.M)
    return {name: int(value) for name, value in found}


def metric(kind, name):
    return int(re.search(rf'^haproxy_{kind}_{name}\{{proxy="be"\}} (\d+)$', exported(), re.M).group(1))


def are(**wanted):
    def numbers():
        row = service.stat("be", "n1")
        shown = metrics()
        if wanted.get("status") and not row["status"].startswith(wanted["status"]):
            return False
        return all(int(row[k] or 0) == v and shown.get(METRICS[k], 0) == v
                   for k, v in wanted.items() if k != "status")
    return numbers


def said(command, sentence=""):
    answer = service.ask(command).strip()
    check(f"{command}: {sentence or '(nothing)'}", answer == sentence)


def life():
    said(f"add server be/n1 {service.args.back} weight 7 maxconn 2", "New server registered.")
    until("added: nothing is counted yet", are(status="MAINT", scur=0, qcur=0, stot=0, safe_conn_cur=0, weight=7,
                                               slim=2))
    said("enable server be/n1")
    until("enabled: it is up", are(status="no check", scur=0, stot=0))
    for _ in range(5):
        check("it serves", service.get() == 200)
    until("traffic is counted", are(scur=0, stot=5))
    origin.hold = threading.Event()
    clients = []
    for n in range(3):
        clients.append(connect(service.args.front))
        clients[-1].sendall(REQUEST % n)
    until("two are served", are(scur=2))
    until("one waits for the backend, in all workers", lambda: service.stat("be", "BACKEND")["qcur"] == "1" and
          metric("backend", "current_queue") == 1)
    return clients


service.settle()
clients = life()
origin.hold.set()
check("all three are answered", all(b" 200 " in read_all(c) for c in clients))
until("nobody is there or waits", are(scur=0, stot=8))
check("nor for the backend", service.stat("be", "BACKEND")["qcur"] == "0" and metric("backend", "current_queue") == 0)
until("connections that rest are shown", lambda: metrics().get("safe_idle_connections_current", 0) > 0 and
      int(service.stat("be", "n1")["safe_conn_cur"]) == metrics()["safe_idle_connections_current"])
said("set server be/n1 state drain")
until("drained: it is kept out", are(status="DRAIN", scur=0, qcur=0, stot=8))
said("disable server be/n1")
until("in maintenance", are(status="MAINT", scur=0, qcur=0))
said("del server be/n1", "Server deleted.")
check("it is in no statistics", "be,n1," not in service.ask("show stat"))
check("nor in the metrics", not metrics())
check("no place is left", "be/n1" not in service.ask("show servers conn be"))

# ---- the same name again, and a worker is killed in the middle
clients = life()
victim = service.workers()[0]
os.kill(victim, signal.SIGKILL)
until("a killed worker is replaced", lambda: len(service.workers()) == 2 and victim not in service.workers())
origin.hold.set()
for c in clients:
    try:
        read_all(c)
    except OSError:
        pass
until("what the dead one had is not counted", are(scur=0, qcur=0))
until("nor is who waited in it", lambda: service.stat("be", "BACKEND")["qcur"] == "0" and
      metric("backend", "current_queue") == 0)
check("it serves", service.get() == 200)
said("disable server be/n1")
until("it can go", lambda: "Server deleted." in service.ask("del server be/n1"))
check("it is in no statistics", "be,n1," not in service.ask("show stat"))

# ---- one that is enabled by its words serves those who wait
clients = life()
said(f"add server be/n2 {service.args.back} enabled", "New server registered.")
until("who waited has the new one", lambda: service.stat("be", "n2")["scur"] == "1" and
      service.stat("be", "BACKEND")["qcur"] == "0")
origin.hold.set()
check("all three are answered", all(b" 200 " in read_all(c) for c in clients))
down = int(service.stat("be", "BACKEND")["downtime"])
said("disable server be/n1; disable server be/n2")
for name in "n1", "n2":
    until(f"{name} can go", lambda name=name: "Server deleted." in service.ask(f"del server be/{name}"))
until("the backend is down for a while", lambda: int(service.stat("be", "BACKEND")["lastchg"]) >= 2)
said(f"add server be/n1 {service.args.back} enabled", "New server registered.")
row = service.stat("be", "BACKEND")
check("and no longer than until one comes that is enabled", row["status"] == "UP" and int(row["downtime"]) >= down + 2)
said("disable server be/n1; del server be/n1", "Server deleted.")

# ---- as does one that gets a weight
clients = life()
said(f"add server be/n2 {service.args.back} enabled weight 0", "New server registered.")
check("without a weight it gets nobody", service.stat("be", "BACKEND")["qcur"] == "1")
said("set weight be/n2 5")
until("who waited has the one that has a weight now", lambda: service.stat("be", "n2")["scur"] == "1" and
      service.stat("be", "BACKEND")["qcur"] == "0")
origin.hold.set()
check("all three are answered", all(b" 200 " in read_all(c) for c in clients))
service.sound()
finish()
