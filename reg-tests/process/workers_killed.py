# SPDX-License-Identifier: BSD-2-Clause
"""What workers.sh describes."""

import os
import re
import signal
import sys
import time

from http1 import Reader, request
from service import connect

front, victim = sys.argv[1], int(sys.argv[2])


def ask(conn):
    conn.sendall(request())
    got = Reader(conn).message()
    return got and int(re.search(rb"(\d)/4 ", got[1]).group(1))


conns = []
served = set()
deadline = time.monotonic() + 60
while len(served) < 4 and time.monotonic() < deadline:
    conn = connect(front)
    served.add(ask(conn))
    conns.append(conn)
if served != {1, 2, 3, 4}:
    sys.exit("FAILED  served by %s" % served)
print("ok      all of them serve (%d connections)" % len(conns))
of = [ask(c) for c in conns]
os.kill(victim, signal.SIGKILL)
for conn, number in zip(conns, of):
    if number != 1 and ask(conn) != number:
        sys.exit("FAILED  a connection of worker %d was lost with worker 1" % number)
print("ok      connections of the others go on")
