# SPDX-License-Identifier: BSD-2-Clause
"""The clients of accepts.sh."""

import os
import resource
import select
import signal
import socket
import sys
import time

PATIENCE, TRIES = 120, 10
what, parent, stats = sys.argv[1], int(sys.argv[2]), sys.argv[3]
addresses = [(host, int(port)) for host, port in
             (text.rsplit(":", 1) for text in sys.argv[4:])]
deadline = time.monotonic() + PATIENCE
most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
MANY = 1000 if most_files >= 1100 else 400


def patient(what):
    if time.monotonic() > deadline:
        sys.exit("FAILED  waited for too long: " + what)
    time.sleep(0.005)


def more_time():
    global deadline
    deadline = time.monotonic() + PATIENCE


def ok(what, true):
    if not true:
        sys.exit("FAILED  " + what)
    print("ok      " + what, flush=True)


def workers():
    with open("/proc/%d/task/%d/children" % (parent, parent)) as f:
        return [int(pid) for pid in f.read().split()]


def sockets(pid):
    n = 0
    try:
        for fd in os.listdir("/proc/%d/fd" % pid):
            try:
                n += os.readlink("/proc/%d/fd/%s" % (pid, fd)).startswith("socket:")
            except OSError:
                pass
    except OSError:
        pass
    return n


def column(proxy, name):
    asked = socket.socket(socket.AF_UNIX)
    asked.connect(stats)
    asked.sendall(b"show stat\n")
    text = b""
    while True:
        piece = asked.recv(65536)
        if not piece:
            break
        text += piece
    lines = text.decode().lstrip("# ").split("\n")
    names = lines[0].split(",")
    for line in lines:
        fields = line.split(",")
        if fields[:2] == [proxy, "FRONTEND"]:
            return int(fields[names.index(name)])


def opened(address):
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(address)
    return s


def closed(connections):
    for s in connections:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        s.close()


def ask(s, how="keep-alive"):
    select.select([], [s], [])
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: %s\r\n\r\n" % how.encode())


def answered(s):
    # Which worker has answered; None: none yet.
    try:
        answer = s.recv(65536)
    except (BlockingIOError, ConnectionResetError):
        return None
    for line in answer.decode().split("\r\n"):
        if line.startswith("worker: "):
            return int(line[8:])
    return None


def spread(what, open_all):
    # Where the machine gives a worker no time for long the others do its work: one even round.
    best = 9999
    pids = workers()
    for _ in range(TRIES):
        more_time()
        before = [sockets(pid) for pid in pids]
        connections = open_all()
        while column("wide", "scur") != MANY:
            patient("all to be accepted")
        each = [sockets(pid) - n for pid, n in zip(pids, before)]
        best = min(best, max(each) / max(1, min(each)))
        print("        connections of each worker:", each)
        closed(connections)
        while column("wide", "scur") != 0:
            patient("all to be closed")
        if best <= 1.2:
            break
    ok("%s: most by least %.3f" % (what, best), best <= 1.2)


def open_slowly():
    connections = []
    for _ in range(MANY):
        connections.append(opened(wide))
        ask(connections[-1])
        while not answered(connections[-1]):
            select.select([connections[-1]], [], [], 1)
            patient("an answer")
    return connections


def all_spread():
    ok("four workers", len(workers()) == 4)
    spread("connections opened at once", lambda: [opened(wide) for _ in range(MANY)])
    spread("connections opened one by one", open_slowly)


LIMIT, CLIENTS = 40, 120


def clients(address, how="keep-alive"):
    waiting = [opened(address) for _ in range(CLIENTS)]
    for s in waiting:
        ask(s, how)
    return waiting


def those_answered(waiting):
    """Takes them out of the list: pairs of socket and worker."""
    answers = [(s, answered(s)) for s in select.select(waiting, [], [], 1)[0]]
    for s, pid in answers:
        if pid:
            waiting.remove(s)
    return [(s, pid) for s, pid in answers if pid]


# Three times as many as there are places. Those served make room, wherever they are.
def places(proxy, address):
    more_time()
    waiting, served, done, by = clients(address), [], 0, set()
    while done + len(served) < CLIENTS:
        for s, pid in those_answered(waiting):
            by.add(pid)
            served.append(s)
        if len(served) > LIMIT:
            sys.exit("FAILED  %s: %d are served at once" % (proxy, len(served)))
        if len(served) == LIMIT:
            closed(served[:7])
            served = served[7:]
            done += 7
        patient("%d of %d were served" % (done + len(served), CLIENTS))
    most = column(proxy, "smax")
    ok("%s: all were served, by %d workers, at most %d at a time" % (proxy, len(by), most),
       most == LIMIT)
    closed(served)
    while column(proxy, "scur") != 0:
        patient("all to be closed")


# A rate, whoever accepts; each for itself they would accept all at once. (What is shown is summed
# by somebody whose clock may be some milliseconds behind.)
def rate(proxy, address):
    more_time()
    waiting = clients(address, "close")
    while waiting:
        for s, _ in those_answered(waiting):
            s.close()
        patient("%d to be served" % len(waiting))
    most = column(proxy, "rate_max")
    ok("%s: at most %d a second" % (proxy, most), most <= LIMIT * 5 // 4)


# All places are taken; the worker that has most of them dies.
def death(proxy, address):
    more_time()
    waiting, served = clients(address), {}
    while len(served) < LIMIT:
        served.update(those_answered(waiting))
        patient("%d have places" % len(served))
    pids = list(served.values())
    victim = max(set(pids), key=pids.count)
    os.kill(victim, signal.SIGKILL)
    got = 0
    while got < pids.count(victim):
        got += len(those_answered(waiting))
        patient("%d places of a killed worker are taken" % got)
    ok("%d places of a killed worker were taken by others" % got, True)
    ok("never more than allowed", column(proxy, "smax") <= LIMIT)


if what == "spread":
    wide = addresses[0]
    all_spread()
elif what == "limits":
    places("limited", addresses[0])
    places("lines", addresses[1])
    rate("slow", addresses[2])
    death("limited", addresses[0])
elif what == "global":
    places("limited", addresses[0])
else:
    rate("limited", addresses[0])
