# SPDX-License-Identifier: BSD-2-Clause
"""Clients that answer PINGs which nobody has said, and are tracked: run by tracked_glitches.sh."""

import re

from frames import ACK, HEADERS, PING, Client, frame, read_block, request
from service import Service, check, finish, until

svc = Service()


def head(c):
    stream = c.open(request("/"))
    return dict(read_block(c.wait(lambda f: f.stream == stream and f.kind == HEADERS).payload))


def pings(c, n):
    c.send(frame(PING, ACK, 0, b"oddities") * n)


def stored(table, name):
    return int(re.search(rf" {name}(?:\(\d+\))?=(\d+)", svc.ask(f"show table {table}"))[1])


c = Client(svc.args.front)
got = head(c)
check(f"none: {got['x-sc']}", got["x-sc"] == "0 0 0" and got["x-src"] == "0 0")
pings(c, 3)
got = head(c)
check(f"three: {got['x-sc']}", got["x-sc"] == "3 3 0" and got["x-src"] == "3 3")
other = Client(svc.args.front)
head(other)
pings(other, 4)
got = head(other)
check(f"of another connection, too: {got['x-sc']}", got["x-sc"] == "7 7 0")
pings(other, 2)
other.close()
until("those behind the last request", lambda: stored("connections", "glitch_cnt") == 9 and
      stored("connections", "glitch_rate") == 9 and stored("sessions", "glitch_rate") == 9)
pings(c, 15)
check("rules act upon the rate", head(c)[":status"] == "429")
check("requests have none", stored("requests", "glitch_cnt") == 0)
c.close()
finish()
