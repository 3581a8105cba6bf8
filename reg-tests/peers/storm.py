# SPDX-License-Identifier: BSD-2-Clause
"""Many changes on both sides at once, and a side that is killed amid them: see storm.sh."""
import os
import random
import re
import signal
import threading

from nodes import HAPROXY, PENSTOCK, Nodes
from service import PATIENCE, Service, check, finish, until

CHANGES, KEYS, AT_ONCE = 20000, 250, 50

service = Service()


def storm(node, net, seed, half):
    """Changes of the keys 10.net.0.x; ends when the node does. half: is set when half of them are
    done."""
    chance = random.Random(seed)
    try:
        for turn in range(CHANGES // AT_ONCE):
            if turn == CHANGES // AT_ONCE // 2:
                half.set()
            node.ask(";".join(f"set table b key 10.{net}.0.{chance.randrange(KEYS)} data.gpc0"
                              f" {chance.randrange(1 << 32)} data.http_req_cnt {chance.randrange(1 << 31)}"
                              for _ in range(AT_ONCE)))
    except OSError:
        pass


def storms(a, b, seed, amid=lambda: None):
    half = threading.Event()
    threads = [threading.Thread(target=storm, args=(node, net, seed + net, half))
               for net, node in ((1, a), (2, b))]
    for thread in threads:
        thread.start()
    half.wait(PATIENCE)
    amid()
    for thread in threads:
        thread.join()


def rows(node):
    """All entries, without what is a process's own."""
    return sorted(re.sub(r"^0x\w+: |(use|exp|shard)=\d+ ?", "", line)
                  for line in node.ask("show table b").splitlines() if line.startswith("0x"))


def are_same(a, b):
    mine = rows(a)
    return len(mine) > KEYS and mine == rows(b)


def one(other):
    name = os.path.basename(other)
    folder = os.path.join(service.args.dir, name)
    os.mkdir(folder)
    nodes = Nodes(["A", "B"], folder, programs={"B": other})
    a, b = nodes["A"].start(nbproc=2), nodes["B"].start()
    until("A and B talk", lambda: a.talks_to("B") and b.talks_to("A"))
    storms(a, b, 10)
    until(f"penstock and {name} have the same", lambda: are_same(a, b))
    # Changes of B are on their way, and some of A as well.
    storms(a, b, 20, lambda: b.stop(signal.SIGKILL))
    b.start()
    until(f"{name} was killed, and has the same", lambda: are_same(a, b))
    storms(a, b, 30)
    until("and so it goes on", lambda: are_same(a, b))
    said, heard = a.peers()["B"], b.peers()["A"]
    print(f"A told {said['tx_upd']} entries and heard {said['rx_upd']}")
    check("nothing was wrong", said["proto_err"] == "0" and heard["proto_err"] == "0" and said["ignored"] == "0")
    nodes.end()


for program in PENSTOCK, os.environ.get("OTHER", HAPROXY):
    if program:
        one(program)
finish()
