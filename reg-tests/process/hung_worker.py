# SPDX-License-Identifier: BSD-2-Clause
"""What hung_worker.sh describes."""

import os
import re

from origin import Origin
from service import Service, check, connect, finish, until


def logged(pattern):
    with open(service.log, errors="replace") as f:
        return re.search(pattern, f.read())


service = Service("hang")
front, hang = service.args.front, service.args.hang
origin = Origin(service.args.back)
check("it serves", service.get() == 200)
before = set(service.workers())
open(hang, "w").close()
victim = connect(front)
victim.sendall(b"GET /victim HTTP/1.1\r\nHost: x\r\n\r\n")
port = victim.getsockname()[1]
found = until("one that hangs is found", lambda: logged(r"Worker (\d) \((\d+)\) hangs: no turn of its loop"))
os.unlink(hang)
check("the other one serves meanwhile", service.get() == 200)
said = r"Worker %s \(%s\): penstock: " % found.groups()
until("it says what it dies of", lambda: logged(said + r"process \d+ dies of SIGABRT at:"))
until("and is replaced", lambda: len(service.workers()) == 2 and set(service.workers()) != before)
check("the turn of its loop", logged(said + r"turn \d+ of the loop, for ms: \d{3,}, at event \d+ of \d+"))
check("the stream at hand", logged(said + r"stream 0x\w+ of 127\.0\.0\.1:%d: frontend fe, "
                                   r"backend be, server s1, http" % port))
check("what it was doing with it", logged(said + r'phase \w+, request at step "connect", '
                                          r'response at step "[^"]+", inside of a step'))
check("both ends", logged(said + r"client \S+ on descriptor \d+.*; server "))
check("what the loop had called", logged(said + r"the loop had called"))
try:
    ended = victim.recv(100) == b""
except ConnectionResetError:
    ended = True
check("its client is told", ended)
check("both serve", all(service.get() == 200 for _ in range(20)))
finish()
