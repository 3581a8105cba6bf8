# SPDX-License-Identifier: BSD-2-Clause
"""What renews the lives of entries that kept connections track (life.sh)."""
import re

from http1 import Reader, request
from service import Service, check, connect, finish, until

service = Service()
with open(service.args.dir + "/ways", encoding="ascii") as f:
    ways = [line.rstrip("\n").split("|") for line in f]


def entry(number):
    """use and exp of the one entry, and the rest; zeroes while there is none."""
    shown = re.search(r" use=(\d+) exp=(\d+)(.*)", service.ask(f"show table t{number}"))
    use, left, rest = shown.groups() if shown else (0, 0, "")
    return int(use), int(left), rest


def answered(s):
    s.sendall(request())
    Reader(s).head()


numbers = range(1, len(ways) + 1)
clients = [connect(f"{service.args.dir}/{n}.sock") for n in numbers]
for n in numbers:
    until(f"{ways[n - 1][0]}: it is tracked, and a second old", lambda: entry(n)[0] == 1 and
          entry(n)[1] < 3599000)
for n, client in zip(numbers, clients):
    stored, rule, renews = ways[n - 1]
    before = entry(n)[1]
    answered(client)
    if renews == "request":
        until(f"{stored}: renewed by {rule}", lambda: entry(n)[1] > before)
    else:
        check(f"{stored}: not renewed by {rule}", entry(n)[1] <= before)
check("sc-add-gpc adds", any("gpc1=5" in entry(n)[2] for n in numbers))
for n in numbers:
    until(f"{ways[n - 1][0]}: another second", lambda: entry(n)[1] < 3599000)
for n, client in zip(numbers, clients):
    stored, rule, renews = ways[n - 1]
    before = entry(n)[1]
    client.close()
    until(f"{stored}: it is tracked no more", lambda: entry(n)[0] == 0)
    check(f"{stored}: renewed by the end: {renews == 'end'}", (entry(n)[1] > before) == (renews == "end"))
finish()
