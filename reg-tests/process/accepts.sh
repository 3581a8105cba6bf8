#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Four workers accept as one: connections spread evenly, limits hold for the sum, a freed place
# serves whoever waits in any of them, and one that is killed leaves its places to the others.
. "${0%/*}/../lib.sh"

limited=127.0.0.1:$(ports 1)
slow=127.0.0.1:$(ports 1)
config <<END
	nbproc 4
defaults
	mode http
	timeout client 10m
	timeout http-request 10m
	backlog 4096
frontend wide
	bind $front
	http-request return status 200 hdr worker %pid
frontend limited
	bind $limited
	maxconn 40
	http-request return status 200 hdr worker %pid
frontend slow
	bind $slow
	rate-limit sessions 40
	http-request return status 200 hdr worker %pid
END
start_penstock
python3 - "$front" "$limited" "$slow" "$pid" "$stats" <<'END' || failures=1
import os, resource, select, signal, socket, sys, time

PATIENCE, TRIES = 120, 10
wide, limited, slow = [(host, int(port)) for host, port in
                       (text.rsplit(":", 1) for text in sys.argv[1:4])]
parent, stats = int(sys.argv[4]), sys.argv[5]
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


ok("four workers", len(workers()) == 4)
spread("connections opened at once", lambda: [opened(wide) for _ in range(MANY)])
spread("connections opened one by one", open_slowly)

# Three times as many as there are places. Those served make room, wherever they are.
LIMIT, CLIENTS = 40, 120
more_time()
waiting = [opened(limited) for _ in range(CLIENTS)]
for s in waiting:
    ask(s)
served, done, by = [], 0, set()
while done + len(served) < CLIENTS:
    for s in select.select(waiting, [], [], 1)[0]:
        pid = answered(s)
        if pid:
            by.add(pid)
            waiting.remove(s)
            served.append(s)
    if len(served) > LIMIT:
        sys.exit("FAILED  %d are served at once" % len(served))
    if len(served) == LIMIT:
        closed(served[:7])
        served = served[7:]
        done += 7
    patient("%d of %d were served" % (done + len(served), CLIENTS))
ok("%d clients were served by %d workers, %d at a time at most" % (
    CLIENTS, len(by), column("limited", "smax")), column("limited", "smax") == LIMIT)
closed(served)
while column("limited", "scur") != 0:
    patient("all to be closed")

# A rate, whoever accepts.
more_time()
waiting = [opened(slow) for _ in range(100)]
for s in waiting:
    ask(s, "close")
while waiting:
    for s in select.select(waiting, [], [], 1)[0]:
        if answered(s):
            waiting.remove(s)
            s.close()
    patient("%d to be served" % len(waiting))
ok("at most %d sessions a second" % column("slow", "rate_max"), column("slow", "rate_max") <= 40)

# All places are taken; the worker that has some of them dies.
more_time()
waiting = [opened(limited) for _ in range(CLIENTS)]
for s in waiting:
    ask(s)
served = {}
while len(served) < LIMIT:
    for s in select.select(waiting, [], [], 1)[0]:
        pid = answered(s)
        if pid:
            waiting.remove(s)
            served[s] = pid
    patient("%d have places" % len(served))
victim = max(set(served.values()), key=list(served.values()).count)
lost = [s for s in served if served[s] == victim]
os.kill(victim, signal.SIGKILL)
got = 0
while got < len(lost):
    for s in select.select(waiting, [], [], 1)[0]:
        pid = answered(s)
        waiting.remove(s)
        if pid:
            got += 1
    patient("%d of %d places of the dead are taken" % (got, len(lost)))
ok("the %d places of a killed worker were taken by others" % len(lost), True)
ok("never more than allowed", column("limited", "smax") <= LIMIT)
closed(waiting + list(served))
END
finish
