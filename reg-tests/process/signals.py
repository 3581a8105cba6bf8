# SPDX-License-Identifier: BSD-2-Clause
"""What signals.sh describes."""

import os
from signal import SIGHUP, SIGKILL, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2

from origin import Origin
from service import Service, finish, until
service = Service()
pid, origin = service.pid, Origin(service.args.back)


def send(*signals):
    for signo in signals:
        os.kill(pid, signo)


def status(number):
    return service.stat("fe", "FRONTEND", lambda command: service.worker(number, command))["status"]


def listens():
    try:
        return service.get() == 200
    except ConnectionRefusedError:
        return False


def reloads():
    return int(service.parent("show proc").splitlines()[1].split()[2])


for _ in range(100):
    send(SIGTTOU, SIGTTIN)
# A last pause of its own, and a last resume: nothing of the storm comes behind it.
until("a storm ends", lambda: status(1) == "OPEN" == status(2))
send(SIGTTOU)
until("a pause", lambda: status(1) == "PAUSED" == status(2) and not listens())
send(SIGTTIN)
until("a resume", lambda: status(1) == "OPEN" == status(2) and listens())
send(SIGTTOU, SIGTTIN)
until("both at once end with it listening", lambda: status(1) == "OPEN" == status(2) and listens())
victim = service.workers()[0]
os.kill(victim, SIGKILL)
until("one dies", lambda: victim not in service.workers() and len(service.workers()) == 2)
until("its replacement listens", lambda: status(1) == "OPEN" and listens())
send(SIGTTOU)
until("a pause again", lambda: status(1) == "PAUSED" == status(2))
victim = service.workers()[0]
os.kill(victim, SIGKILL)
until("one dies meanwhile", lambda: victim not in service.workers() and len(service.workers()) == 2)
until("its replacement does not listen", lambda: status(1) == "PAUSED" and not listens())
send(SIGTTIN)
until("they listen again", lambda: status(1) == "OPEN" == status(2) and listens())

before = reloads()
send(SIGUSR2, SIGTTOU, SIGHUP, SIGTTIN)
until("a reload among them succeeds", lambda: reloads() > before)
until("and it listens", listens)
send(SIGUSR2, SIGUSR1)
finish()
