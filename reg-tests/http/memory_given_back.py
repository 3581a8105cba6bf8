# SPDX-License-Identifier: BSD-2-Clause
"""What memory_given_back.sh describes."""

import sys

from service import Service, check, connect, finish, until

words = sys.argv.pop(1)
service = Service()


def used():
    with open(f"/proc/{service.pid}/smaps_rollup") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))


service.get()
before = used()
held = [connect(service.args.front) for _ in range(1500)]
for s in held:
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Some: ab")
until("all are there", lambda: int(service.info()["CurrConns"]) >= 1500)
full = used()
for s in held:
    s.close()
until("all are gone", lambda: int(service.info()["CurrConns"]) <= 1)
check("%.1f kB a request" % ((full - before) / 1500), full - before < 1500 * 12)
if words == "no-memory-trimming":
    check("%d kB stay" % (used() - before), used() - before > (full - before) / 2)
else:
    until("it is given back", lambda: used() - before < (full - before) / 4)
    print("        %d kB, %d kB, %d kB" % (before, full, used()))
service.get()
finish()
