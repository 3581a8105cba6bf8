# SPDX-License-Identifier: BSD-2-Clause
"""What attack.sh describes."""

import contextlib
import os
import random
import resource
import signal
import time

from origin import Origin
from processes import descriptors
from service import PATIENCE, Service, check, finish, until
service = Service()
origin = Origin(service.args.back)
pid, cfg, folder = service.pid, service.cfg, service.args.dir
logged, children = service.logged, service.children
random.seed(11)


def workers():
    try:
        return service.workers()
    except (OSError, IndexError):
        return []


def whole(sentence):
    until(sentence, lambda: len(workers()) == 2 and children() == set(workers()))
    check("all requests are answered", all(service.get() == 200 for _ in range(20)))


def reloaded():
    try:
        return "Success=1" in service.parent("reload")
    except OSError:
        return False


def limit(files):
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (files, hard))
    return soft


# ---- no descriptors ---------------------------------------------------------------------------
def limit_for(n):
    """The limit below which n descriptors are free."""
    used = {int(fd) for fd in os.listdir("/proc/%d/fd" % pid)}
    return [fd for fd in range(len(used) + n + 1) if fd not in used][n]


for spare in range(0, 16):
    before = workers()
    failed = logged("Reload failed")
    soft = limit(limit_for(spare))
    os.kill(pid, signal.SIGUSR2)
    until("%d descriptors left: the reload ends" % spare,
          lambda: logged("Reload failed") > failed or logged("Loading success.") > 1)
    limit(soft)
    if logged("Loading success.") > 1:
        break
    until("the same workers serve", lambda: workers() == before)
    check("requests are answered", all(service.get() == 200 for _ in range(4)))
whole("with a few more it succeeds")
soft = limit(3)
victim = min(children())
os.kill(victim, signal.SIGKILL)
until("a worker dies while there are none: it is noticed", lambda: logged("(%d) was killed by signal 9" % victim))
check("the other serves", all(service.get() == 200 for _ in range(20)))
limit(soft)
whole("it is replaced when there are some")
used_now = descriptors(pid)

# ---- no room for the pid file -----------------------------------------------------------------
good = open(cfg).read()
check("the pid file says who it is", open(folder + "/pid").read() == "%d\n" % pid)
with open(cfg, "w") as f:
    f.write(good.replace("pidfile %s/pid" % folder, "pidfile /dev/full"))
check("a reload where it cannot be written", reloaded())
check("is told", logged("cannot write the pid file '/dev/full': No space left on device") == 1)
whole("and the service goes on")
with open(cfg, "w") as f:
    f.write(good)
check("and a reload after that", reloaded())

# ---- killed in the middle of reloads ----------------------------------------------------------
for n in range(20):
    os.kill(pid, signal.SIGUSR2)
    end = time.monotonic() + random.random() * 0.1
    while time.monotonic() < end:
        some = sorted(children())
        if some and random.random() < 0.05:
            with contextlib.suppress(ProcessLookupError):  # one that has just ended
                os.kill(random.choice(some), signal.SIGKILL)
        time.sleep(0.001)


def settled():
    try:
        return len(workers()) == 2 and not service.old_workers() and children() == set(workers())
    except OSError:  # the parent is executed anew, with whoever is connected to it
        return False


def last_reload():
    return reloaded() and settled() or until_settled()


def until_settled():
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not settled():
        time.sleep(0.05)
    return settled()


until("reloads while whoever is there is killed: the next one succeeds", last_reload)
check("all requests are answered", all(service.get() == 200 for _ in range(20)))

# ---- signals ----------------------------------------------------------------------------------
several = [signal.SIGUSR2, signal.SIGHUP, signal.SIGQUIT, signal.SIGTTOU, signal.SIGTTIN,
           signal.SIGCHLD, signal.SIGWINCH, signal.SIGPIPE, signal.SIGURG, signal.SIGCONT]
for _ in range(2000):
    os.kill(pid, random.choice(several))
os.kill(pid, signal.SIGTTIN)
until("a storm of signals: a reload succeeds", last_reload)
until("it listens", lambda: service.stat("fe", "FRONTEND")["status"] == "OPEN")
check("all requests are answered", all(service.get() == 200 for _ in range(20)))
check("and no descriptors are left behind: %d, %d" % (used_now, descriptors(pid)),
      descriptors(pid) <= used_now + 2)
until("the shared memory is sound", lambda: service.ask(
    "expert-mode on; debug dev segment").strip() == "The segment is sound.")
finish()
