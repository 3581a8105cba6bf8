# SPDX-License-Identifier: BSD-2-Clause
"""What backlog.sh describes."""

import os
import signal

from processes import memory
from service import Service, check, finish, until
service = Service()
logged = service.logged
BOUND, EACH = 16 << 20, 8000


def weight(number):
    return int(service.stat("be", "s1", lambda command: service.worker(number, command))["weight"])


def change():
    """A long one."""
    return service.ask("set server be/s1 agent-send " + "x" * EACH) == ""


until("two workers serve", lambda: len(service.workers()) == 2)
first, second = service.workers()
service.ask("set server be/s1 weight 2")
until("a change reaches both", lambda: weight(1) == 2 == weight(2))
os.kill(second, signal.SIGSTOP)
before, sent = memory(service.pid), 0
while sent <= BOUND and not logged("takes no changes"):
    change()
    sent += EACH
check("a long change is taken", change())
check("%d kB wait for it, it is left alone until then" % (sent >> 10), sent >= BOUND * 3 // 4)
service.ask("set server be/s1 weight 3")
check("the other has them", weight(1) == 3)
for _ in range(500):
    if logged("takes no changes"):
        break
    change()
check("beyond the bound it is killed", logged("Worker 2 (%d) takes no changes" % second))
until("and replaced", lambda: len(service.workers()) == 2 and second not in service.workers())
until("by one that has them", lambda: weight(2) == 3)
check("the others were left alone", first in service.workers())
grown = memory(service.pid) - before
check("the parent has no more memory than the bound asks for: %d kB" % grown,
      "SANITIZED" in os.environ or grown < 4 * (BOUND >> 10))
finish()
