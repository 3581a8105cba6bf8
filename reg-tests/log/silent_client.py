# SPDX-License-Identifier: BSD-2-Clause
"""What silent_client.sh describes."""

import re
import socket
import sys
import time
host, port = sys.argv[1].split(":")


def lines(count):
    """Waits for that many lines of the log; only a fault lets the time pass."""
    until = time.monotonic() + 60
    while True:
        found = re.findall(r"^(\d+) (\S+) Ti=(\d+) Ta=(\d+) Tt=(\d+) TR=(-?\d+)$",
                           open(sys.argv[2]).read(), re.M)
        if len(found) >= count or time.monotonic() > until:
            return found
        time.sleep(0.01)


def client(text, leaves):
    c = socket.create_connection((host, int(port)), timeout=60)
    if text:
        time.sleep(0.1) # so is this
        c.sendall(text)
    if leaves:
        time.sleep(0.1) # this is the time that is measured
    else:
        c.recv(1000)
    c.close()


client(b"", False)
client(b"", True)
client(b"GET", False)
bad = 0
WANTED = (("408 cR--", 290, False), ("400 CR--", 90, False), ("408 cR--", 290, True))
for (status, code, *times), (wanted, least, began) in zip(lines(3), WANTED):
    idle, active, total, request = map(int, times)
    if (f"{status} {code}" != wanted or (idle > 0) != began or
            request != -1 or idle + active != total or not least <= total < 30000):
        print("unexpected:", status, code, times, "instead of", wanted, least)
        bad = 1
sys.exit(bad or len(lines(3)) != 3)
