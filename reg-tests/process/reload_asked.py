#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Asks all that can be asked while one reload follows the other; every answer must be whole.
Started by reload_asked.sh."""

import itertools
import threading
import time

from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all

service = Service(lambda p: (p.add_argument("--rounds", type=int), p.add_argument("--count", type=int)))
hold = threading.Event()
origin = Origin(service.args.back, hold)
stop = threading.Event()
done, broken = {}, []


def stat_is_whole(text):
    """All rows, in their order, each with all of its fields, and the service is there."""
    lines = text.split("\n")
    rows = [line.split(",") for line in lines if line]
    return [tuple(r[:2]) for r in rows[1:]] == names and rows[1][17] == "OPEN" and \
        all(len(r) == len(rows[0]) for r in rows)


def info_is_whole(text):
    return [x.split(":")[0] for x in text.splitlines()] == info_fields


def sess_is_whole(text):
    """The stream that waits since the start is shown wherever it is."""
    lines = text.splitlines()
    return all(x.startswith("0x") and " exp=" in x for x in lines) and \
        sum("be=be " in x for x in lines) == 1


def page_is_whole(text):
    head, _, body = text.partition("\r\n\r\n")
    return head.startswith("HTTP/1.1 200") and stat_is_whole(body)


def metrics_are_whole(text):
    return text.startswith("HTTP/1.1 200") and all(
        'haproxy_server_status{proxy="be%d",server="s1",state="MAINT"} 1' % i in text
        for i in range(1, 101)) and 'haproxy_frontend_status{proxy="fe",state="UP"} 1' in text


def proc_is_whole(text):
    return text.startswith("#<PID>") and "# workers\n" in text and text.count(" worker ") >= 1


def http(path):
    with connect(service.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        return read_all(s).decode()


def keep_asking(what, question, whole):
    while not stop.is_set():
        try:
            answer = question()
        except OSError as error:
            answer = repr(error)
        done[what] = done.get(what, 0) + 1
        if not whole(answer):
            broken.append((what, str(answer)[:300], str(answer)[-300:]))


names = [("fe", "FRONTEND"), ("be", "s1"), ("be", "BACKEND")]
for number in range(1, 101):
    names += [("be%d" % number, "s1"), ("be%d" % number, "BACKEND")]
info_fields = [x.split(":")[0] for x in service.ask("show info").splitlines()]
waits = connect(service.args.front)
waits.sendall(b"GET /waits HTTP/1.1\r\nHost: x\r\n\r\n")
while not origin.arrived:
    time.sleep(0.01)
interactive = connect(service.args.parent)
weights = itertools.count(1)


def talk(command):
    """On the connection that stays."""
    interactive.sendall(command.encode() + b"\n")
    got = b""
    while not got.endswith(b"> "):
        piece = interactive.recv(65536)
        if not piece:
            raise OSError("the connection has ended")
        got += piece
    return got.decode()


def set_and_get():
    """What was said to be set is so, soon, for whoever answers, and stays."""
    n = next(weights) % 256
    said = service.ask("set weight be1/s1 %d" % n)
    end = time.monotonic() + PATIENCE
    while not said:
        got = service.ask("get weight be1/s1").strip()
        if got == "%d (initial 1)" % n or time.monotonic() > end:
            return got == "%d (initial 1)" % n
    return said


talk("prompt")
questions = [
    ("show stat", lambda: service.ask("show stat"), stat_is_whole),
    ("show info", lambda: service.ask("show info"), info_is_whole),
    ("show sess", lambda: service.ask("show sess"), sess_is_whole),
    ("page", lambda: http("/stats;csv"), page_is_whole),
    ("metrics", lambda: http("/metrics"), metrics_are_whole),
    ("show proc", lambda: service.parent("show proc"), proc_is_whole),
    ("interactive", lambda: talk("show proc"), proc_is_whole),
    ("set weight", set_and_get, lambda said: said is True),
    ("@1 show stat", lambda: service.worker(1, "show stat"), stat_is_whole),
]
threads = [threading.Thread(target=keep_asking, args=q, daemon=True) for q in questions]
for t in threads:
    t.start()
stale = 0
for _ in range(service.args.rounds):
    said = service.parent("reload")
    if not said.startswith("Success=1"):
        broken.append(("reload", said))
        continue
    now = service.info()
    present = service.workers()
    stale += now.get("Stopping") != "0" or int(now.get("Pid", 0)) not in present
stop.set()
for t in threads:
    t.join(PATIENCE)
print(" ".join("%s %d" % item for item in sorted(done.items())))
for line in broken[:10]:
    print("broken:", line)
check("of %d answers %d were broken" % (sum(done.values()), len(broken)), not broken)
check("each question was answered", len(done) == len(questions))
check("who asks when a reload is done asks a new worker: %d did not" % stale, not stale)
hold.set()
waits.settimeout(PATIENCE)
check("the request that waited is answered", waits.recv(4096).startswith(b"HTTP/1.1 200"))
finish()
