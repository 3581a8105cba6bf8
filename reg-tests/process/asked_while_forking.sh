#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker that is forked while the parent waits for answers of others takes nothing from it: each
# question has its end.
. "${0%/*}/../lib.sh"

config <<END
	nbproc 3
$(http_defaults)
frontend fe
	bind $front
	http-request return status 200
END
start_workers
export PYTHONPATH="$srcdir/reg-tests/process"
cat >"$dir/ask.py" <<'X'
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
X
driver "$dir/ask.py" || failures=1
finish
