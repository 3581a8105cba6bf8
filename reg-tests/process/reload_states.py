# SPDX-License-Identifier: BSD-2-Clause
"""What reload_states.sh describes."""

import os
import shutil
import threading
import time

from origin import Origin
from service import PATIENCE, Service, check, finish, until

NAMES = ("s1", "dead", "heavy", "drained", "off", "lost")
service = Service("program", "log")
stop = threading.Event()
seen, broken = [], []


def rows(ask=service.ask):
    lines = [line.split(",") for line in ask("show stat").lstrip("# ").splitlines()]
    return {r[1]: dict(zip(lines[0], r)) for r in lines[1:] if r[0] == "be"}


def facts(ask=service.ask):
    got = rows(ask)
    return {name: (got[name]["status"], got[name]["weight"], got[name]["check_status"].lstrip("* ")) for name in NAMES}


def keep_looking():
    while not stop.is_set():
        now = facts()
        seen.append(now)
        if now != before:
            broken.append(now)


def downs():
    with open(service.args.log, errors="replace") as f:
        return f.read().count("Server be/dead is DOWN")


def reload(sentence):
    began = time.monotonic()
    age = {name: int(row["lastchg"]) for name, row in rows().items() if name in NAMES}
    check(sentence, service.parent("reload").startswith("Success=1"))
    now = {name: int(row["lastchg"]) for name, row in rows().items() if name in NAMES}
    took = time.monotonic() - began + 2
    check(f"states are as old as they are: {now}", all(age[n] <= now[n] <= age[n] + took for n in NAMES))
    check("all new workers know them", all(
        facts(lambda c, n=n: service.worker(n, c)) == before for n in (1, 2)))


origin = Origin(service.args.back)
service.ask("set weight be/heavy 77")
service.ask("set server be/drained state drain")
service.ask("set server be/off state maint")
service.ask("set server be/s1 health up")
# As the program that checks has found them out.
until("checks find out", lambda: facts()["dead"][0] == "DOWN" and facts()["lost"][0] == "DOWN" and
      facts()["s1"][0] == "UP" and facts()["s1"][2] == "L4OK")
before = facts()
print("        " + str(before))
check("as they were set", [before[n][0] for n in ("drained", "off")] == ["DRAIN", "MAINT"] and
      before["heavy"][1] == "77")
known = downs()
thread = threading.Thread(target=keep_looking, daemon=True)
thread.start()
for n in range(8):
    reload(f"reload {n}")
fresh = service.args.program + ".new"
shutil.copy(service.args.program, fresh)
os.rename(fresh, service.args.program)
check("the program was replaced", "deleted" in os.readlink(f"/proc/{service.args.pid}/exe"))
reload("the new program takes over")
check("that is the parent now", "deleted" not in os.readlink(f"/proc/{service.args.pid}/exe"))
stop.set()
thread.join(PATIENCE)
check(f"{len(seen)} looks: {len(broken)} saw something else {broken[:2]}", len(seen) > 9 and not broken)
check("nobody went down anew", downs() == known)
check("requests are answered", all(service.get() == 200 for _ in range(20)))
service.ask("set server be/byhand health down")
service.ask("set server be/byhand health up")
# New workers check once, at their start or later: nobody listens there, and the check fails.
FALLING = [f"UP {n}/99" for n in (97, 98)]
status = rows()["byhand"]["status"]
check(f"health that was set by hand: {status}", status in ["UP", *FALLING])
check("survives a reload", service.parent("reload").startswith("Success=1"))
status = rows()["byhand"]["status"]
check(f"but for the checks that fail at once: {status}", status in ["UP", *FALLING])
service.ask("set server be/drained state ready")
until("what was set can be taken back", lambda: all(facts(lambda c, n=n: service.worker(n, c))["drained"][
    0] == "no check" for n in (1, 2)))
finish()
