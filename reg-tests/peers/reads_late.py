# SPDX-License-Identifier: BSD-2-Clause
"""A member that asks to be taught, does not read for a while, and then does: see reads_late.sh."""
import re
import threading

from nodes import Nodes
from scripted import ASK, BEAT, FINISHED, PARTIAL, TIMED, Peer, control
from service import Service, check, finish, until

COUNT, LENGTH = 1500, 8000  # 12 MB of updates: more than two sockets take

service = Service()
nodes = Nodes(["A", "B"], service.args.dir)
a = nodes["A"].start(tables=f"\nbackend b\n    stick-table type string len {LENGTH} size 2k expire 10m "
                            "store gpc0 peers p\n")
for n in range(COUNT):
    a.set(f"{n:0{LENGTH}}", n)


def waits():
    return int(re.search(r"unsent=(\d+)", a.ask("show peers").split("id=B")[1])[1])


b = Peer(nodes.addresses["A"], "A", "B", window=4096)
check("A takes it", b.status == b"200")
stop = threading.Event()


def live():
    while b.send(control(BEAT)) and not stop.wait(1):
        pass


beater = threading.Thread(target=live)
beater.start()
b.send(control(ASK))
until("A has more than the sockets take", lambda: waits() >= 32768)
stop.set()
beater.join() # each of ours would wake A
beats = updates = 0
found = b.until(lambda kind, what, _: (kind, what) == (10, TIMED))
while found and found[:2] not in ((0, FINISHED), (0, PARTIAL)):
    beats += found[:2] == (0, BEAT)
    updates += found[:2] == (10, TIMED)
    found = b.next()
check(f"it is taught {updates} entries", updates >= COUNT)
# Who has something to say says that instead. One was due, perhaps, while nothing was read.
check(f"without a pause: there are {beats} heartbeats between them", beats <= 1)
b.close()
nodes.end()
finish()
