# SPDX-License-Identifier: BSD-2-Clause
"""What workers.sh describes."""

import os
import signal
import sys
import time

parent, victim, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
end = time.monotonic() + 60


def children():
    with open(f"/proc/{parent}/task/{parent}/children") as f:
        return {int(pid) for pid in f.read().split()}


def waits():
    with open(log) as f:
        return "is replaced in 1 seconds" in f.read()


kills = 0
while not waits():
    others = children() - {victim}
    os.kill(victim, signal.SIGKILL)
    kills += 1
    while not children() - others - {victim} and not waits():
        if time.monotonic() > end:
            sys.exit("FAILED  it is not replaced, and nobody says why")
    victim = (children() - others - {victim} or {victim}).pop()
if kills < 4:
    sys.exit("FAILED  after %d deaths it is not replaced at once" % kills)
print("ok      three deaths in a row delay nothing, %d do" % kills)
