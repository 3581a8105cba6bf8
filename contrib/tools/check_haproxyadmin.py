#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Drive a running penstock through the library haproxyadmin, and judge what it returns.

Not part of make check: it needs the network once. By hand:

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install haproxyadmin
    ./penstock -f contrib/tools/haproxyadmin.cfg &
    /tmp/venv/bin/python contrib/tools/haproxyadmin.py /tmp/penstock-admin.sock
"""
import socket
import sys
import time

from haproxyadmin import (haproxy, STATE_DISABLE, STATE_DRAIN, STATE_ENABLE, STATE_MAINT,
                          STATE_READY)

failures = 0


def check(what, ok):
    global failures
    print(("ok      " if ok else "FAILED  ") + what)
    failures += not ok


path = sys.argv[1]
hap = haproxy.HAProxy(socket_file=path)

check("version", hap.version.startswith("2.6"))
check("description", hap.description == "for haproxyadmin")
check("node name", hap.nodename == "admin-test")
check("release date", hap.releasedate.count("/") == 2)
check("uptime", "h" in hap.uptime and int(hap.uptimesec) >= 0)
check("processes", hap.totalrequests >= 0 and len(hap.processids) == 1)
check("maxconn", hap.metric("Maxconn") == 90)
check("info", hap.info()[0]["Name"] == "HAProxy")

for i in range(3):
    with socket.create_connection(("127.0.0.1", 29901)) as c:
        c.sendall(b"x")
        c.shutdown(socket.SHUT_WR)
        while c.recv(100):
            pass
time.sleep(0.1)

check("frontends", sorted(f.name for f in hap.frontends()) == ["fe", "fe2", "origin"])
fe = hap.frontend("fe")
check("frontend: status, id", fe.status == "OPEN" and fe.iid == 2)
check("frontend: sessions", fe.metric("stot") == 3 and fe.requests >= 0)
check("frontend: maxconn", fe.setmaxconn(50) and fe.maxconn == 50)
check("frontend: disable, enable", fe.disable() and fe.status == "PAUSED" and fe.enable()
      and fe.status == "OPEN")
check("frontend: shutdown", hap.frontend("fe2").shutdown())

check("backends", [b.name for b in hap.backends()] == ["be"])
be = hap.backend("be")
check("backend: status, metric", be.status == "UP" and be.metric("bin") == 3)
check("servers", sorted(s.name for s in be.servers()) == ["s1", "s2"])

s1 = be.server("s1")
check("server: address and port", s1.address == "127.0.0.1" and int(s1.port) == 29902)
check("server: change of address", s1.address == "127.0.0.1")
s1.address = "127.0.0.2"
check("server: the new address", s1.address == "127.0.0.2")
s1.address = "127.0.0.1"
check("server: weight", s1.weight == "10" and s1.setweight(20) and s1.weight == "20")
check("server: weight in percent", s1.setweight("50%") and s1.weight == "5")
for state, wanted in ((STATE_DISABLE, "MAINT"), (STATE_ENABLE, "no check"),
                      (STATE_DRAIN, "DRAIN"), (STATE_READY, "no check"),
                      (STATE_MAINT, "MAINT"), (STATE_READY, "no check")):
    check("server: " + state, s1.setstate(state) and s1.status == wanted)
check("server: shutdown of its sessions", s1.shutdown())
check("server: last_status and check code", s1.last_status is not None)

hap.setmaxconn(80)
check("global maxconn", hap.maxconn == 80)
hap.setratelimitconn(100)
check("rate limit", hap.ratelimitconn == 100)
hap.setratelimitsess(110)
check("session limit", hap.ratelimitsess == 110)
check("clear counters", hap.clearcounters() and hap.clearcounters(all=True))
check("after clear all", hap.frontend("fe").metric("stot") == 0)
check("a command by hand", hap.command("show version")[0][1][0].startswith("2.6"))
check("errors", hap.errors()[0][1][0].endswith(" : 0"))
sys.exit(failures != 0)
