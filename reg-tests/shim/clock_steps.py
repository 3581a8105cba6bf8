# SPDX-License-Identifier: BSD-2-Clause
"""What clock_steps.sh describes."""

import re
import struct
import threading
import time

from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

DAY, YEAR = 86400, 365 * 86400
service = Service("ahead", "log")
origin = Origin(service.args.back)
alone = not service.args.parent


def pids():
    return [service.info()["Pid"]] if alone else service.workers()


def set_clock(seconds):
    with open(service.args.ahead, "r+b") as f:
        f.write(struct.pack("q", seconds))


def number(path):
    with connect(service.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        return int(read_all(s).split(b"\r\n\r\n")[1])


def silent():
    """Seconds until a client that says nothing is told so."""
    with connect(service.args.front) as s:
        begin = time.monotonic()
        said = read_all(s)
        return said.startswith(b"HTTP/1.1 408") and time.monotonic() - begin


def step(seconds):
    print(f"# {seconds} s", flush=True)
    seen = len(origin.arrived)
    hold = origin.hold = threading.Event()
    held = connect(service.args.front)
    held.sendall(b"GET /held HTTP/1.0\r\n\r\n")
    until("a request is under way", lambda: "/held" in origin.arrived[seen:])
    origin.hold = None
    set_clock(seconds)
    until("the workers see it", lambda: abs(number("/date") - time.time() - seconds) < 3600)
    check("20 requests are answered", [service.get() for _ in range(20)] == [200] * 20)
    check("on a connection from before, too", service.get(keep=keep) == 200)
    hold.set()
    check("and the one that was under way", read_all(held).startswith(b"HTTP/1.1 200"))
    took = silent()
    check(f"a timeout of 1 s fires after {took:.1f}", took and took > 0.9)
    now = origin.connections
    until("checks go on", lambda: origin.connections > now + 5)
    row = service.stat("be", "s1")
    check("the server is up", row["status"] == "UP" and row["chkdown"] == downs)
    check("and was all the time", int(row["lastchg"]) < 600 and int(row["downtime"]) < 600)
    info = service.info()
    check("uptime is what it was: " + info["Uptime_sec"], int(info["Uptime_sec"]) < 600)
    check("no rate is above what was: " + info["SessRate"], int(info["SessRate"]) < 1000)
    check("nobody was replaced", pids() == before)


until("the server is up", lambda: service.stat("be", "s1")["status"] == "UP")
downs = service.stat("be", "s1")["chkdown"]
keep = connect(service.args.front)
service.get(keep=keep)
before = pids()
for seconds in (DAY, -10 * YEAR, 30 * YEAR, 0):
    step(seconds)
if not alone:
    set_clock(-DAY)
    check("a reload", "Success=1" in service.parent("reload"))
    age = re.search(r" master .* (\d+d\d\dh\d\dm\d\ds)", service.parent("show proc")).group(1)
    check("the age of the parent: " + age, age.startswith("0d00h"))
    before = pids()
    keep = connect(service.args.front)
    service.get(keep=keep)
    step(DAY)
with open(service.args.log) as f:
    times = [int(n) for line in f for n in re.findall(r"T[at]=(-?\d+)", line)]
check(f"all {len(times)} times of the log are true", len(times) > 100 and
      all(-1 <= t < PATIENCE * 1000 for t in times))
finish()
