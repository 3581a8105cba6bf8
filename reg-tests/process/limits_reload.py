# SPDX-License-Identifier: BSD-2-Clause
"""What limits_reload.sh describes."""

import os
import signal
import socket
import threading
import time

from origin import Origin
from service import Service, check, connect, finish, read_all, until

LIMIT, RATE, CLIENTS = 10, 40, 120
service = Service(lambda p: (p.add_argument("what"), p.add_argument("name")))
front, cfg, origin = service.args.front, service.cfg, Origin(service.args.back)
what, name = service.args.what, service.args.name


def column(field):
    end = time.monotonic() + 60
    while True:
        try:
            return int(service.stat("fe", "FRONTEND")[field])
        except (KeyError, IndexError, OSError):
            if time.monotonic() > end:  # an old worker that ends may have been asked
                raise


def requests(n):
    clients = [connect(front) for _ in range(n)]
    for s in clients:
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    return clients


def all_answered(clients):
    return all(read_all(s).startswith(b"HTTP/1.1 200") for s in clients)


def reload():
    before = set(service.workers())
    good = "Success=1" in service.parent("reload")
    return good and not before & set(service.workers())


def places():
    origin.hold = threading.Event()
    old = requests(LIMIT)
    until("as many as may be are served", lambda: origin.now == LIMIT)
    check("a reload", reload())
    new = requests(LIMIT)
    # One that tries for a place counts for a moment.
    until("all that are there are the old generation's", lambda: column("scur") == LIMIT == origin.now)
    old_connections = origin.connections
    origin.hold.set()
    check("all of the old are answered, and then the new", all_answered(old + new))
    check("%d, then %d" % (old_connections, origin.requests),
          (old_connections, origin.requests) == (LIMIT, 2 * LIMIT))
    check("never more at once than %d: %d" % (LIMIT, origin.most), origin.most == LIMIT)
    check("show stat has seen it: %d" % column("smax"), column("smax") == LIMIT)


def break_reload():
    """An address is taken: found out behind the execve. Returns what the file was."""
    global taken
    with open(cfg) as f:
        good = f.read()
    taken = socket.create_server(("127.0.0.1", 0))
    with open(cfg, "w") as f:
        f.write(good.replace("\nbind ", "\nbind 127.0.0.1:%d\nbind " % taken.getsockname()[1]))
    check("a reload fails", "Success=0" in service.parent("reload"))
    return good


def replace_one():
    victim = service.workers()[0]
    os.kill(victim, signal.SIGKILL)
    until("a worker is replaced", lambda: len(service.workers()) == 2 and victim not in service.workers())


def places_failed():
    good = break_reload()
    replace_one()
    origin.hold = threading.Event()
    old = requests(LIMIT)
    until("as many as may be are served", lambda: origin.now == LIMIT)
    more = requests(LIMIT // 2)  # no more than the queue of the socket holds
    until("and no more", lambda: column("scur") == LIMIT == origin.now)
    check("a reload fails again", "Success=0" in service.parent("reload"))
    until("and still no more", lambda: column("scur") == LIMIT == origin.now)
    with open(cfg, "w") as f:
        f.write(good)
    check("a good reload", reload())
    third = requests(LIMIT // 2)
    until("nor of three generations", lambda: column("scur") == LIMIT == origin.now)
    origin.hold.set()
    check("all are answered", all_answered(old + more + third))
    check("never more at once than %d: %d" % (LIMIT, origin.most), origin.most == LIMIT)


def rate_failed():
    break_reload()
    replace_one()
    rate(lambda: "Success=0" in service.parent("reload"))


def rate(again=reload):
    clients = requests(CLIENTS)
    reloads = []
    for _ in range(3):
        reloads.append(again())
    check("three reloads", all(reloads))
    check("all are answered", all_answered(clients))
    most = column("rate_max")
    check("at most %d a second: %d" % (RATE, most), most <= RATE * 5 // 4)
    check("each once", column("stot") == CLIENTS)


until("two workers serve", lambda: len(service.workers()) == 2)
{"places": places, "rate": rate, "places_failed": places_failed, "rate_failed": rate_failed}[what]()
origin.close()
finish()
