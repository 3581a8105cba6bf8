# SPDX-License-Identifier: BSD-2-Clause
"""What stops.sh describes: a process that is to leave while streams are open."""

import os
import signal
import struct

from frames import (ACK, DATA, END_STREAM, GOAWAY, INITIAL_WINDOW_SIZE, NO_ERROR, PING, Client,
                    frame, request, settings, window)
from h2_server import H2Server, body_of
from service import Service, address, check, finish, until

svc = Service(lambda p: p.add_argument("--hard", action="store_true"))
server = H2Server(address(svc.args.back)[1])
idle, busy, reads = Client(svc.args.front), Client(svc.args.front), \
    Client(svc.args.front, settings((INITIAL_WINDOW_SIZE, 1000)))
check("before", idle.ends(idle.open(request("/n/5"))) == (200, body_of(5)))
held = [busy.open(request("/hold")) for _ in range(3)]
upload = busy.open(request("/echo", "POST"), False)
busy.send(frame(DATA, 0, upload, b"hello"))
reads.open(request("/n/5000"))
until("streams wait at the server", lambda: len(server.held) == 3)
check("and at a client", bool(reads.wait(lambda f: f.kind == DATA)))
os.kill(svc.pid, signal.SIGUSR1)
if svc.args.hard:
    for c in idle, busy, reads:
        while c.receive():
            pass
    check("all connections were ended", idle.over and busy.over and reads.over)
    until("those to servers, too", lambda: not server.open())
    finish()
for c in idle, busy, reads:
    check("leaving is announced", bool(c.wait(lambda f: f.kind == GOAWAY and f.code == NO_ERROR)))
    c.ping()
    for f in c.seen:
        if f.kind == PING and not f.flags & ACK:
            c.send(frame(PING, ACK, 0, f.payload))
check("an idle connection is closed", idle.goaway() == NO_ERROR and idle.over)
check("... and busy ones know the last stream", bool(busy.wait(
    lambda f: f.kind == GOAWAY and struct.unpack(">I", f.payload[:4])[0] == upload)))
late = busy.open(request("/n/5"))
busy.send(frame(DATA, END_STREAM, upload, b"world") + window(0, 1))
server.release()
check("what was open is answered", all(busy.ends(s) == (200, b"held") for s in held) and
      busy.ends(upload) == (200, b"helloworld"))
reads.send(window(1, 5000))
check("... to the end", reads.ends(1) == (200, body_of(5000)))
check("what came behind GOAWAY is not", busy.goaway() == NO_ERROR and busy.status(late) is None)
check("no fault of ours at the server", not server.faults and not any(server.goaways))
finish()
