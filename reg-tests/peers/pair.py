# SPDX-License-Identifier: BSD-2-Clause
"""Called by pair.sh; see machines.py."""
import signal
import sys
import threading
import time

from machines import OTHER, end, inside, request, start
from service import check, until


class Load(threading.Thread):
    """Some 40 requests a second, one after the other."""
    def __init__(self):
        super().__init__(daemon=True)
        self.good = []      # when requests were answered with 200
        self.counts = []    # X-Requests of each
        self.failed = 0
        self.going = True
        self.start()

    def run(self):
        inside("client")
        while self.going:
            answer = request()
            if answer and answer[0] == 200:
                self.good.append(time.monotonic())
                self.counts.append(int(answer[1]["x-requests"]))
            else:
                self.failed += 1
            time.sleep(0.025)

    def since(self, when):
        return [t for t in self.good if t > when]

    def gap(self, when):
        """Seconds without an answer, from the last one before that moment or behind it."""
        later = self.since(when)[:200]
        before = [t for t in self.good if t <= when][-1:]
        times = before + later
        return max(b - a for a, b in zip(times, times[1:]))


def who():
    return next((m for m in machines.values() if m.has_address()), None)


def sessions_stay(sentence, where):
    check(sentence, all((request("/", s) or (0, 0, None))[2] == name for s, name in where.items()))


def failover(sentence, kill, most, mend):
    """Kills the active machine in a way, under load; how long it takes until requests are
    served."""
    active = who()
    passive = machines[OTHER[active.name]]
    until(f"{passive.name} is ready", lambda: passive.state() == "BACKUP" and passive.count() > 0)
    load = Load()
    until("there is load", lambda: len(load.good) > 40)
    failed = load.failed  # a machine that is busy may be late
    check(f"{sentence}: requests were served before", failed <= 3)
    when = time.monotonic()
    kill(active)
    until(f"{sentence}: {passive.name} takes over",
          lambda: passive.has_address() and len(load.since(when + 0.5)) > 60)
    load.going = False
    load.join()
    at = next(i for i, t in enumerate(load.good) if t > when)  # of the first answer since
    before, behind = load.counts[at - 1], load.counts[-1]
    gap = load.gap(when)
    print(f"        {sentence}: from {active.name} to {passive.name} in {gap:.2f} s, {load.failed - failed} requests "
          f"failed; the counter was {before}, and is {behind}", flush=True)
    check(f"{sentence}: served again within {most} s", gap <= most)
    # What was counted in the last moment may not have been told.
    served = len(load.counts) - at
    check(f"{sentence}: the counter goes on", before + served - 5 <= behind <= before + served + load.failed)
    sessions_stay(f"{sentence}: {len(where)} sessions stay with their servers", where)
    mend(active)
    until("one of both has the address", lambda: active.has_address() != passive.has_address())
    # What a machine that was cut off has counted last it tells now: that may overwrite more.
    until(f"{active.name} knows again what {passive.name} has counted",
          lambda: active.count() >= passive.count() > 0)
    if active.count() != passive.count():
        print(f"        {active.name} has {active.count()}, {passive.name} {passive.count()}", flush=True)
    return passive


machines = start(True)
try:
    until("one of both has the address", who)
    until("the service answers", lambda: request()[0] == 200)
    where = {s: request(f"/login/{s}")[2] for s in "abcdefgh"}
    check("sessions are on both servers", set(where.values()) == {"app1", "app2"})
    sessions_stay("sessions stay with their servers", where)

    now = failover("penstock is killed", lambda m: m.end(m.penstock, signal.SIGKILL), 12,
                   lambda m: m.start_penstock())
    check("the machine that is back does not take the address away", who() is now)
    now = failover("keepalived is stopped", lambda m: m.end(m.keepalived, signal.SIGTERM), 10,
                   lambda m: m.start_keepalived())
    check("nor does this one", who() is now)
    now = failover("the wire is cut", lambda m: m.link("down"), 10, lambda m: m.link("up"))
    check("nor does a machine that was cut off", who() is now)
    heir = machines[OTHER[now.name]]
    until(f"{heir.name} is ready", lambda: heir.state() == "BACKUP")
    now.kill_keepalived()
    until("who does not hear of the other one takes the address, though that has kept it",
          lambda: heir.has_address() and now.has_address())
    now.start_keepalived()
    until("which keepalived mends when it is started again", lambda: not now.has_address() and heir.has_address())
    until("requests are served", lambda: request()[0] == 200)
finally:
    status = end(machines)
sys.exit(status)
