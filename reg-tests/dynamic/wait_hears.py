# SPDX-License-Identifier: BSD-2-Clause
"""What wait_hears.sh describes."""

import os
import signal
import threading
import time

from service import Service, check, finish, until

service = Service()


def processor_s(pid):
    with open(f"/proc/{pid}/stat") as f:
        return sum(int(n) for n in f.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def wait_s(worker):
    begin = time.monotonic()
    said = service.worker(worker, "wait 10s srv-removable be/s1")
    check("it is done", "Done." in said)
    return time.monotonic() - begin


until("the workers serve", lambda: len(service.workers()) == 2)
workers = service.workers()
before = [processor_s(pid) for pid in workers]
computes = threading.Thread(target=service.ask, args=("expert-mode on; debug dev loop 450",))
computes.start()
until("a worker computes", lambda: [processor_s(pid) for pid in workers] != before)
took = wait_s(2 if processor_s(workers[0]) > before[0] else 1)
check(f"it is waited for: {took:.3f} s", took > 0.1)
computes.join()
os.kill(workers[1], signal.SIGSTOP)
took = wait_s(1)
os.kill(workers[1], signal.SIGCONT)
check(f"also one that is stopped, for a while: {took:.3f} s", 0.4 < took < 5)
check("the server can be deleted then", "deleted" in service.ask("del server be/s1"))
finish()
