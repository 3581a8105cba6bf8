# SPDX-License-Identifier: BSD-2-Clause
"""What busy_polling.sh describes."""

import os
import signal
import sys
import time

from origin import listen
from processes import state
from service import connect


def sleeps():
    return state(pid) == "S"


def switches():
    with open(f"/proc/{pid}/status") as f:
        return int([l for l in f if l.startswith("voluntary")][0].split()[1])


front, back, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
origin = listen(back)
client = connect(front)
server = origin.accept()[0]
server.settimeout(60)
client.sendall(b"hello")
assert server.recv(5) == b"hello"
os.kill(pid, signal.SIGUSR1)
deadline = time.monotonic() + 60
while not sleeps():
    assert time.monotonic() < deadline, "FAILED  it does not sleep while it finishes"
    time.sleep(0.01)
before = switches()
client.sendall(b"still")
assert server.recv(5) == b"still"
while switches() == before:
    assert time.monotonic() < deadline, "FAILED  it sleeps no more"
    time.sleep(0.01)
print("ok      it sleeps between two pieces while it finishes")
