# SPDX-License-Identifier: BSD-2-Clause
"""Four workers are one service: numbers, changes, checks, sessions; also when one is killed."""

import os
import signal
import time

from http1 import Reader, request
from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

WORKERS = 4
REQUESTS = 120
INTER = 0.2  # of the checks, as in the configuration


def answers(service, ask_once):
    """What each worker says, when asked by the socket that they share: pid -> answer. Conversations
    stay open until all have answered, so that the next one goes to who has fewer."""
    seen, held = {}, []

    def all_have_answered():
        s = connect(service.args.stats)
        held.append(s)
        s.sendall(f"prompt; show info; {ask_once}\n".encode())
        said = b""
        while said.count(b"\n> ") < 3:
            said += s.recv(65536)
        said = said.decode()
        seen[int(said.split("Pid: ")[1].split()[0])] = said
        return len(seen) == WORKERS

    until(f"{ask_once}: each worker answers", all_have_answered)
    for s in held:
        s.close()
    return seen


def total(answer):
    row = next((line for line in answer.splitlines() if line.startswith("fe,FRONTEND,")), None)
    if not row:
        print("no row: " + answer)
        return -1
    names = next(line for line in answer.splitlines() if "# pxname" in line)
    names = names.split("# ")[1].split(",")
    return int(dict(zip(names, row.split(",")))["req_tot"])


def numbers(service):
    good = sum(service.get() == 200 for _ in range(REQUESTS))
    check(f"all {REQUESTS} requests are answered", good == REQUESTS)
    said = answers(service, "show stat")
    check("and tells of all requests", all(total(a) == REQUESTS for a in said.values()))
    check("and of four workers", all("Nbproc: 4\n" in a for a in said.values()))
    check("rows of several workers stand once",
          all(a.count("fe,FRONTEND,") == 1 for a in said.values()))
    alone = [total(service.worker(n, "show stat")) for n in range(1, WORKERS + 1)]
    check(f"asked alone each tells of its own: {alone}", sum(alone) == REQUESTS)
    infos = [service.info(through=lambda c, n=n: service.worker(n, c)) for n in range(1, WORKERS + 1)]
    check("each has its own number and process",
          [i["Process_num"] for i in infos] == [str(n) for n in range(1, WORKERS + 1)] and
          [int(i["Pid"]) for i in infos] == service.workers())


def on_all(service, command):
    return [service.worker(n, command) for n in range(1, WORKERS + 1)]


def row(service, worker):
    return service.stat("be", "s1", lambda c: service.worker(worker, c))


def changes(service):
    service.ask("set server be/s1 weight 50")
    check("a weight reaches all", on_all(service, "get weight be/s1") == ["50 (initial 1)"] * WORKERS)
    said = service.ask("set server be/s1 weight much")
    check(f"what one refuses nobody does: {said}", said != "" and
          on_all(service, "get weight be/s1") == ["50 (initial 1)"] * WORKERS)
    service.ask("disable server be/s1")
    check("maintenance reaches all", all(service.stat("be", "s1", lambda c, n=n: service.worker(n, c))[
        "status"] == "MAINT" for n in range(1, WORKERS + 1)))
    service.worker(3, "enable server be/s1")
    check("and ends for all", all("MAINT" not in service.stat("be", "s1", lambda c, n=n: service.worker(
        n, c))["status"] for n in range(1, WORKERS + 1)))
    s = [connect(service.args.front) for _ in range(8)]
    service.get("/learn")
    until("what a rule has put into a map all know",
          lambda: all(status_of(c, "/known") == 204 for c in s))
    until("and into a list", lambda: all(status_of(c, "/listed") == 204 for c in s))
    for c in s:
        c.close()
    service.ask("disable frontend other")
    check("a paused frontend is paused for all", all(service.stat(
        "other", "FRONTEND", lambda c, n=n: service.worker(n, c))["status"] == "PAUSED"
        for n in range(1, WORKERS + 1)))
    service.ask("enable frontend other")
    service.ask("set maxconn server be/s1 1234")
    check("a limit reaches all", [row(service, n)["slim"] for n in range(1, WORKERS + 1)] == ["1234"] * WORKERS)


def status_of(s, path):
    """Of one more request on a connection; the answer has no body."""
    s.sendall(request(path))
    return int(Reader(s).head().split()[1])


def from_many(where, path):
    """Answers over several connections that were open together, so that all workers are asked."""
    held = [connect(where) for _ in range(2 * WORKERS)]
    for s in held:
        s.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
    said = [read_all(s).decode() for s in held]
    for s in held:
        s.close()
    return said


def pages(service):
    wanted = service.stat("fe", "FRONTEND")["req_tot"]
    check("the page tells of all, whoever answers",
          all(total(a) == int(wanted) for a in from_many(service.args.other, "/stats;csv")))
    line = f'haproxy_frontend_http_requests_total{{proxy="fe"}} {wanted}\n'
    check("and so do the metrics", all(line in a for a in from_many(service.args.other, "/metrics")))


def chances(service):
    """Workers are forked from one memory, and must not draw the same numbers."""
    said = [a.split("\r\n\r\n")[1].split() for _ in range(4)
            for a in from_many(service.args.front, "/chance")]
    check(f"{len(said)} UUIDs and random numbers differ",
          len({u for u, _ in said}) == len(said) and len({r for _, r in said}) == len(said))


def states(service, server="s2"):
    return [service.stat("be", server, lambda c, n=n: service.worker(n, c))["status"]
            for n in range(1, WORKERS + 1)]


def checks(service, checked):
    seen = checked.connections
    begun = time.monotonic()
    until("checks are made", lambda: checked.connections >= seen + 11)
    took = time.monotonic() - begun
    check(f"by one worker alone: 11 took {took:.2f} s", took >= 10 * INTER * 0.8)
    until("its results are everywhere", lambda: states(service) == ["UP"] * WORKERS)
    rows = [service.stat("be", "s2", lambda c, n=n: service.worker(n, c)) for n in range(1, WORKERS + 1)]
    check("with what was found", all(r["check_status"] == "L7OK" for r in rows))


def down_and_up(service, checked, where):
    checked.close()
    until("all see it go down", lambda: states(service) == ["DOWN"] * WORKERS)
    return Origin(where)


def seen_soon(service):
    """A change of state is passed on at once, not found out by asking now and then. On a machine
    that is loaded some take longer: the shortest of many tells."""
    took = []
    for n in range(20):
        word, status = ("maint", "MAINT") if n % 2 == 0 else ("ready", "no check")
        begin = time.monotonic()
        service.worker(1 + n % WORKERS, f"set server be/s1 state {word}")
        while not all(s.startswith(status) for s in states(service, "s1")):
            if time.monotonic() > begin + PATIENCE:
                break
        took.append(1000 * (time.monotonic() - begin))
    check(f"all see a change of state within {min(took):.1f} ms, {sorted(took)[10]:.1f} in the middle",
          min(took) < 100)


def killed(service, checked, where):
    before = service.workers()
    requests = int(service.stat("fe", "FRONTEND")["req_tot"])
    os.kill(before[0], signal.SIGKILL)
    until("a killed worker is replaced", lambda: len(service.workers()) == WORKERS and
          before[0] not in service.workers())
    after = service.workers()
    check("by one with its number; the others live on", after[1:] == before[1:])
    now = [total(a) for a in answers(service, "show stat").values()]
    check(f"no counter steps back: {requests}, then {now}", min(now) >= requests)
    until("the new one knows all changes", lambda: service.worker(1, "get weight be/s1") == "50 (initial 1)" and
          row(service, 1)["slim"] == "1234")
    s = [connect(service.args.front) for _ in range(8)]
    check("and what rules have put into maps and lists",
          {status_of(c, path) for c in s for path in ("/known", "/listed")} == {204})
    for c in s:
        c.close()
    checked = down_and_up(service, checked, where)
    until("and somebody goes on checking", lambda: states(service) == ["UP"] * WORKERS)
    check("it serves", service.get() == 200)
    return checked


def sessions(service):
    clients = [connect(service.args.front) for _ in range(24)]
    for s in clients:
        s.sendall(b"GET / HTTP/1.1\r\n")
    ids = until("sessions of all are shown", lambda: len(shown(service)) == 24 and shown(service))
    check("whoever is asked", all(a.count(" fe=fe ") == 24
                                  for a in answers(service, "show sess").values()))
    alone = sum(service.worker(n, "show sess").count(" fe=fe ") for n in range(1, WORKERS + 1))
    check(f"asked alone each shows its own: {alone}", alone == 24)
    if ids:
        victim = sorted(ids)[0]
        service.ask(f"shutdown session {victim}")
        until("each session can be shut from anywhere", lambda: victim not in shown(service))
        other = sorted(ids)[-1]
        check("and shown alone", all(other in service.ask(f"show sess {other}") for _ in range(6)))
    for s in clients:
        s.close()
    until("sessions end", lambda: not shown(service))
    check("no gauge is left", service.stat("fe", "FRONTEND")["scur"] == "0")


def shown(service):
    return {line.split(":")[0] for line in service.ask("show sess").splitlines()
            if " fe=fe " in line}


def main():
    service = Service(lambda p: [p.add_argument(name) for name in ("--checked", "--other")])
    until("four workers serve", lambda: len(service.workers()) == WORKERS)
    origin = Origin(service.args.back)
    checked = Origin(service.args.checked)
    numbers(service)
    changes(service)
    seen_soon(service)
    pages(service)
    chances(service)
    checks(service, checked)
    checked = down_and_up(service, checked, service.args.checked)
    until("and up again", lambda: states(service) == ["UP"] * WORKERS)
    checked = killed(service, checked, service.args.checked)
    sessions(service)
    checked.close()
    origin.close()
    finish()


main()
