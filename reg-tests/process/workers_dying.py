# SPDX-License-Identifier: BSD-2-Clause
"""What workers.sh describes."""

import os
import signal
import sys
import time

from processes import children

parent, victim, log = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
end = time.monotonic() + 60


def waits():
    with open(log) as f:
        return "is replaced in 1 seconds" in f.read()


kills = 0
while not waits():
    others = children(parent) - {victim}
    os.kill(victim, signal.SIGKILL)
    kills += 1
    while not children(parent) - others - {victim} and not waits():
        if time.monotonic() > end:
            sys.exit("FAILED  it is not replaced, and nobody says why")
    victim = (children(parent) - others - {victim} or {victim}).pop()
if kills < 4:
    sys.exit("FAILED  after %d deaths it is not replaced at once" % kills)
print("ok      three deaths in a row delay nothing, %d do" % kills)
