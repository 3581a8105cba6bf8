# SPDX-License-Identifier: BSD-2-Clause
"""What early_replay.sh describes."""

import socket
import subprocess
import time

import early
from early_lib import addresses, check, get, info, seen, tool, until

parent = addresses.pop()


def flight(to, path):
    """A client and its first words, which nobody has heard yet. Where keys are older than the start
    of the program, its first seconds are no good."""
    end = time.monotonic() + early.PATIENCE
    while True:
        session, said = early.session(to, get("/first"))
        c = early.Client(to, session)
        c.early(get("/try"))
        c.handshake()
        if c.accepted() or time.monotonic() > end:
            break
        c.close()
    check("early data are taken", c.accepted())
    c.close()
    session, said = early.session(to, get("/first"))
    c = early.Client(to, session)
    words = c.early(get(path), send=False)
    c.out = b""
    return c, words


def repeat(to, words, times):
    """Says it on so many connections, and hears each of them to its end."""
    socks = [socket.create_connection(early.place(to), early.PATIENCE) for i in range(times)]
    for s in socks:
        s.sendall(words)
    for s in socks:
        s.shutdown(socket.SHUT_WR)
        try:
            while s.recv(65536):
                pass
        except ConnectionResetError:
            pass
        s.close()


def count(path):
    return len([l for l in seen if l.split()[1] == path.encode()])


for name, to in zip(("tickets", "file", "cache"), addresses):
    c, words = flight(to, "/" + name)
    c.send(words)
    c.handshake(send=False)
    check(name + ": the first is heard", c.accepted() and b"200 OK" in c.response())
    c.send()
    repeat(to, words, 40)
    check(name + ": no other is", count("/" + name) == 1, seen)
    # How many depends on the machine: what comes late is refused by the library itself.
    until(name + ": they are told no", lambda: info("EarlyDataRepeated") > 0)
    c.close()
    c, all_at_once = flight(to, "/crowd-" + name)
    repeat(to, all_at_once, 40)
    check(name + ": of many at once not two are heard", count("/crowd-" + name) <= 1, seen)
    repeat(to, all_at_once, 4)
    check(name + ": nor later", count("/crowd-" + name) <= 1, seen)
    c.close()
    c, words = flight(to, "/reload-" + name)
    c.send(words)
    c.handshake()
    check(name + ": heard before a reload", c.accepted() and b"200 OK" in c.response())
    c.close()
    said = subprocess.run([tool, "-s", parent, "ask", "reload"], capture_output=True, text=True).stdout
    check(name + ": reload", "Success=1" in said, said)
    repeat(to, words, 40)
    check(name + ": not behind it", count("/reload-" + name) == 1, seen)
    c, words = flight(to, "/other")
    c.close()
