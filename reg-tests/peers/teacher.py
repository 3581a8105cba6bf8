# SPDX-License-Identifier: BSD-2-Clause
"""A member is taught by one who has more tables than it, and who stops in the middle: see
teacher.sh."""
import time

from nodes import Nodes
from scripted import (ASK, BEAT, CONFIRM, FINISHED, UPDATE, Peer, control, definition, four, message)
from service import Service, check, finish, until

# Each of these two has more than the 5 s that a teacher may be silent.
OTHER_TABLES, SILENCE = 7, 20

service = Service()
nodes = Nodes(["A", "teacher"], service.args.dir)
a = nodes["A"].start()


def begin():
    """Has been asked to teach."""
    peer = Peer(nodes.addresses["A"], "A", "teacher")
    check("accepted, and asked", peer.status == b"200"
          and bool(peer.until(lambda c, t, body: (c, t) == (0, ASK))))
    return peer


peer = begin()
began = time.monotonic()
update = 0
peer.send(definition(1, "of others", 4, 4, [2]))
while time.monotonic() - began < OTHER_TABLES:
    update += 1
    peer.send(message(UPDATE, four(update) + b"\1\1\1\1\1"))
    time.sleep(0.25)
check("who teaches a table that A does not have is waited for", a.logged("does not teach") == 0)
peer.send(definition(2, "b", 4, 4, [2, 9, 17]) + message(UPDATE, four(1) + b"\n\0\0\1\5\6\7"))
peer.send(control(FINISHED))
check("A confirms", bool(peer.until(lambda c, t, body: (c, t) == (0, CONFIRM))))
check("and has what it was taught", a.value("10.0.0.1") == 5)
check("it says who has taught it", a.logged("teacher has taught it") == 1)
peer.close()
a.stop()

a.start()
peer = begin()
peer.send(definition(2, "b", 4, 4, [2, 9, 17]) + message(UPDATE, four(1) + b"\n\0\0\1\5\6\7"))
began = time.monotonic()
while time.monotonic() - began < SILENCE and not a.logged("does not teach"):
    peer.send(control(BEAT))
    time.sleep(0.5)
check("who stops to teach is not waited for", a.logged("does not teach") == 1)
peer.close()
nodes.end()
finish()
