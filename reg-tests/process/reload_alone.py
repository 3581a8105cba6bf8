# SPDX-License-Identifier: BSD-2-Clause
"""What reload_alone.sh describes."""

import os
import signal

from origin import Origin
from service import Service, check, finish, until
service = Service()
origin = Origin(service.args.back)
pid, logged, children = service.pid, service.logged, service.children
signal.alarm(300)


def kill_children():
    for p in children():
        try:
            os.kill(p, signal.SIGKILL)
        except ProcessLookupError:
            pass


def replaced_later():
    kill_children()
    return logged("is replaced in") > waits


until("it serves", lambda: service.get() == 200)
for n in range(5):
    waits = logged("is replaced in")
    until("no worker lives", replaced_later)
    forks = logged(") forked")
    os.kill(pid, signal.SIGUSR2)
    while logged(") forked") == forks:
        pass
    kill_children()
    until("the service goes on", lambda: service.get() == 200)
check("the service never ended", not logged("nothing was started") and children())
finish()
