# SPDX-License-Identifier: BSD-2-Clause
"""What every_process.sh describes."""

import re

from origin import Origin
from service import Service, check, connect, finish, read_all, until
service = Service()
front, origin = service.args.front, Origin(service.args.back)
until("three workers serve", lambda: len(service.workers()) == 3)
pids = service.workers()
master = int(service.parent("show proc").splitlines()[1].split()[0])


def parts(command):
    """Name and text of each process that answers."""
    said = re.split(r"(?m)^# (.*)\n", service.ask(command))
    return dict(zip(said[1::2], said[2::2]))


wanted = {"parent (%d)" % master} | {"worker %d (%d)" % (n + 1, pid) for n, pid in enumerate(pids)}
for command, word in ("show fd", "kind=listener"), ("show pools", "Total: "), ("show activity", "loops: "):
    said = parts(command)
    check("%s names all: %s" % (command, sorted(said)), set(said) == wanted)
    check("and each tells of itself", all(word in text for name, text in said.items()
                                          if name.startswith("worker")))
    for n in 1, 2, 3:
        alone = service.worker(n, command)
        check("worker %d alone has no name" % n, word in alone and not re.search("(?m)^# ", alone))


def bad():
    s = connect(front)
    s.sendall(b"GET / HTTP/1.1\r\nHost : x\r\n\r\n")
    answer = read_all(s)
    s.close()
    return b" 400 " in answer


def has_errors(n):
    return "invalid request" in service.worker(n, "show errors")


def all_have_errors():
    bad()
    return all(has_errors(n) for n in (1, 2, 3))


until("bad requests reach each worker", all_have_errors)
errors = service.ask("show errors")
check("show errors of any tells of all", errors.count("invalid request") == 3)
totals = re.findall(r"(?m)^Total events captured on .* : (\d+)$", errors)
events = re.findall(r"event #(\d+)", errors)
check("with one head, first: %s" % totals, len(totals) == 1 and errors.startswith("Total events captured"))
own = [re.findall(r"captured on .* : (\d+)\n", service.worker(n, "show errors")) for n in (1, 2, 3)]
check("which counts all: %s" % own, int(totals[0]) == sum(int(each[0]) for each in own) and
      all(len(each) == 1 for each in own))
check("numbers of events differ: %s" % events, len(set(events)) == 3)
check("none of the filtered ones is said to be wrong",
      service.ask("show errors be response").count("\n") <= 2 and
      service.ask("show errors nope").strip() == "No such proxy.")


def loops():
    return {name: int(re.search(r"(?m)^loops: (\d+)", text).group(1))
            for name, text in parts("show activity").items()}


def total():
    return int(service.info()["CumReq"])


# So many turns that those of the questions themselves are few beside them.
while min(n for name, n in loops().items() if name.startswith("worker")) < 500:
    for _ in range(50):
        bad()
before = loops()
check("requests were counted", total() > 3)
service.ask("clear counters all")
after = loops()
check("clear counters clears each: %s" % sorted(after.values()),
      all(after[name] < before[name] for name in before if name.startswith("worker")))
check("and the sums", int(service.stat("fe", "FRONTEND")["req_tot"]) == 0)
finish()
