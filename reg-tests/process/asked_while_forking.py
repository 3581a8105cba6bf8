# SPDX-License-Identifier: BSD-2-Clause
"""What asked_while_forking.sh describes."""

import os
import signal
import time

from service import PATIENCE, Service, check, finish, until

service = Service()
until("three workers serve", lambda: len(service.workers()) == 3)


def replaced(victim):
    workers = service.workers()
    return len(workers) == 3 and victim not in workers


for n in range(9):
    victim = service.workers()[n % 3]
    os.kill(victim, signal.SIGKILL)
    begin, asked = time.monotonic(), 0
    while not replaced(victim) and time.monotonic() < begin + PATIENCE:
        for number in 1, 2, 3:
            try:
                service.worker(number, "show info")
            except ConnectionError:
                pass  # it is the one that dies
            asked += 1
    check(f"{asked} questions around a fork have an end", time.monotonic() < begin + PATIENCE)
finish()
