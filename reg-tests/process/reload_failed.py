# SPDX-License-Identifier: BSD-2-Clause
"""What reload_failed.sh describes."""

import os
import signal
import socket

from origin import Origin
from service import Service, check, finish, until
service = Service()
back, pid, cfg = service.args.back, service.pid, service.cfg
logged, children = service.logged, service.children
origin = Origin(back)


def lives(process):
    try:
        with open("/proc/%d/stat" % process) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def column(number, server, field):
    return service.stat("be", server, lambda command: service.worker(number, command))[field]


def both(server, field, wanted):
    return all(column(n, server, field) == wanted for n in (1, 2))


good = open(cfg).read()
taken = socket.create_server(("127.0.0.1", 0))


def fail(replaced="frontend fe\n", by="frontend fe\n\tbind 127.0.0.1:%d\n" % taken.getsockname()[1]):
    with open(cfg, "w") as f:
        f.write(good.replace(replaced, by))
    before = service.workers()
    check("a reload fails", "Success=0" in service.parent("reload"))
    check("the same workers serve", service.workers() == before)


def succeed(sentence):
    with open(cfg, "w") as f:
        f.write(good)
    before = set(service.workers())
    check(sentence, "Success=1" in service.parent("reload"))
    check("other workers serve", len(set(service.workers()) - before) == 2)
    until("the parent has no other children", lambda: children() == set(service.workers()))


def kill(number):
    victim = service.workers()[number - 1]
    os.kill(victim, signal.SIGKILL)
    until("worker %d is replaced" % number,
          lambda: len(service.workers()) == 2 and victim not in service.workers())
    until("it answers", lambda: service.worker(number, "show info").startswith("Name:"))


until("the server is up", lambda: both("s1", "status", "UP"))
fail()
kill(1)
check("all requests are answered", all(service.get() == 200 for _ in range(40)))
service.ask("set server be/s2 weight 7")
until("a change reaches both", lambda: both("s2", "weight", "7"))
kill(2)
check("the next replacement has it, too", both("s2", "weight", "7"))
refused = service.ask("set server be/s9 weight 7")
check("what is wrong is still refused: " + refused, "No such server" in refused)
origin.close()
until("checks find out", lambda: both("s1", "status", "DOWN"))
kill(1)
until("their results reach a replacement", lambda: both("s1", "status", "DOWN"))
fail()
kill(2)
check("also after a second failure", both("s2", "weight", "7"))
spare = children() - set(service.workers())
check("one process is there for that", len(spare) == 1)
succeed("a reload with a good file")
check("what was changed meanwhile is still there", both("s2", "weight", "7"))
check("and the process is not", not any(lives(p) for p in spare))

fail()
spare = children() - set(service.workers())
os.kill(spare.pop(), signal.SIGKILL)
until("it is told when it is lost", lambda: logged("none is replaced until a reload succeeds"))
os.kill(service.workers()[0], signal.SIGKILL)
until("then none is replaced", lambda: len(service.workers()) == 1)
origin = Origin(back)
check("the other serves on", all(service.get() == 200 for _ in range(20)))
succeed("the next reload succeeds all the same")

fail("defaults\n", "\tchroot /nonexistent/folder\ndefaults\n")
kill(1)
check("the same when it is the new workers that cannot start", both("s2", "weight", "7"))
succeed("and a good file after that")

fail()
left = children()
check("again", len(left) == 3)
os.kill(pid, signal.SIGKILL)
until("without the parent all end", lambda: not any(lives(p) for p in left))
finish()
