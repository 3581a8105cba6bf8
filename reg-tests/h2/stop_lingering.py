# SPDX-License-Identifier: BSD-2-Clause
"""Leaves a connection open whose stream was answered early: see stop_lingering.sh."""
import os
import sys

from frames import DATA, Client, frame, request
from service import Service, check, finish

service = Service()
c = Client(service.args.front)
stream = c.open(request(method="POST"), False, frame(DATA, 0, c.next, b"a"))
while not any(f.kind == DATA and f.flags & 1 for f in c.seen):
    if not c.receive():
        break
check("answered early", any(f.kind == DATA and f.flags & 1 for f in c.seen))
if os.fork() == 0:  # the connection stays open behind the script
    os.setsid()
    for fd in 0, 1, 2:
        os.close(fd)
    c.receive(3)
    os._exit(0)
sys.stdout.flush()
finish()
