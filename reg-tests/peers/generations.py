# SPDX-License-Identifier: BSD-2-Clause
"""Reloads, workers that die, and processes that replace others: see generations.sh."""
import os
import signal
import time

from nodes import Nodes
from service import Service, check, finish, until

service = Service()


def pair(name, **how):
    nodes = Nodes(["A", "B"], service.folder(name))
    a = nodes["A"].start(arguments=("-W", "-S", nodes["A"].parent), nbproc=2, **how)
    b = nodes["B"].start(**how)
    until("A and B talk", lambda: a.talks_to("B") and b.talks_to("A"))
    return nodes, a, b


def reload_asks_nobody():
    nodes, a, b = pair("reload")
    for i in range(50):
        b.set(f"10.0.0.{i}", i)
    until("A has what B was told", lambda: a.used() == 50)
    told = int(b.peers()["A"]["tx_upd"])
    for n in range(3):
        a.reload()
        until("the new generation talks", lambda: a.talks_to("B") and b.talks_to("A"))
        a.set(f"10.1.0.{n}", 7)
        until(f"a change behind reload {n + 1} is seen", lambda: b.value(f"10.1.0.{n}") == 7)
        check("the tables are there", a.used() == 51 + n and a.value("10.0.0.7") == 7)
    check("B was not asked for them", int(b.peers()["A"]["tx_upd"]) == told)
    check("nobody was taught on a reload", a.logged("up to date") == 1)
    check("B has nothing to complain of", b.peers()["A"]["proto_err"] == "0")
    nodes.end()


def reloads_under_changes():
    """What is changed while generations change is told by one or the other."""
    nodes, a, b = pair("under")
    for n in range(300):
        a.set(f"10.2.{n // 100}.{n % 100}", n + 1)
        if n % 100 == 50:
            a.reload()
    until("300 changes over 3 reloads are all seen",
          lambda: b.used() == 300 and all(b.value(f"10.2.{n // 100}.{n % 100}") == n + 1
                                          for n in range(0, 300, 7)))
    nodes.end()


def speaker_dies():
    nodes, a, b = pair("dies")
    a.set("10.0.0.1", 1)
    until("B has it", lambda: b.value("10.0.0.1") == 1)
    for n in range(3):
        speaker = until("somebody speaks", a.worker_that_speaks)
        told = int(a.peers()["B"]["tx_upd"])
        began = time.monotonic()
        os.kill(speaker, signal.SIGKILL)
        a.set(f"10.0.1.{n}", 5)
        until("a change beside the death is seen", lambda: b.value(f"10.0.1.{n}") == 5)
        print(f"seen {(time.monotonic() - began) * 1000:.0f} ms behind the death of the speaker")
        until("another one speaks", lambda: a.worker_that_speaks() not in (None, speaker))
        until("both say so", lambda: a.talks_to("B") and b.talks_to("A"))
        check("what B had was not told again", int(a.peers()["B"]["tx_upd"]) <= 1)
    nodes.end()


def successor():
    """A single process teaches the one that replaces it, of itself."""
    nodes = Nodes(["A", "B"], service.folder("successor"))
    a = nodes["A"].start()
    for i in range(50):
        a.set(f"10.0.0.{i}", i + 1)
    until("nobody to ask", lambda: a.logged("up to date") == 1)
    old = a.process
    began = time.monotonic()
    a.start(arguments=("-sf", str(old.pid)))
    until("the old process ends", lambda: old.poll() == 0)
    print(f"the old process has ended after {(time.monotonic() - began) * 1000:.0f} ms")
    until("the new one is taught",
          lambda: a.logged("up to date: the process before this one has taught it") == 1)
    check("it has all", a.used() == 50 and a.value("10.0.0.49") == 50)
    check("the old one says so", a.logged("the process that replaces this one has been taught") == 1)
    began = time.monotonic()
    a.stop(signal.SIGUSR1)
    check("without a successor it ends at once", time.monotonic() - began < 3)
    nodes.end()


def service_replaced():
    """The same with workers, of which one speaks."""
    nodes = Nodes(["A", "B"], service.folder("replaced"))
    a = nodes["A"].start(nbproc=3)
    until("nobody to ask", lambda: a.logged("up to date") == 1)
    for i in range(50):
        a.set(f"10.0.0.{i}", i + 1)
    old = a.process
    a.start(nbproc=2, arguments=("-sf", str(old.pid)))
    until("the old service ends", lambda: old.poll() == 0)
    until("the new one is taught", lambda: a.logged("the process before this one has taught it") == 1)
    check("it has all", a.used() == 50 and a.value("10.0.0.49") == 50)
    nodes.end()


reload_asks_nobody()
reloads_under_changes()
speaker_dies()
successor()
service_replaced()
finish()
