# SPDX-License-Identifier: BSD-2-Clause
"""What workers.sh describes."""

import os
import re
import signal
import socket
import sys
import time

host, port = sys.argv[1].rsplit(":", 1)
victim = int(sys.argv[2])


def ask(conn):
    conn.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = b""
    while b"/4 " not in answer:
        more = conn.recv(4096)
        if not more:
            return None
        answer += more
    return int(re.search(rb"(\d)/4 ", answer).group(1))


conns = []
served = set()
deadline = time.monotonic() + 60
while len(served) < 4 and time.monotonic() < deadline:
    conn = socket.create_connection((host, int(port)), timeout=60)
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
