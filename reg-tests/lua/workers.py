# SPDX-License-Identifier: BSD-2-Clause
"""Part of workers.sh."""

import os
import random
import re
import signal

from service import Service, check, connect, finish, read_all, until

KILLS = 3  # more, and replacements are delayed
service = Service(lambda p: p.add_argument("--workers", type=int))
WORKERS = service.args.workers
random.seed(3)


def log():
    with open(service.log, errors="replace") as f:
        return f.read()


def said(pattern, since=0):
    return re.findall(pattern, log()[since:])


def get(path):
    """The number of the worker, what the script has said, the variable of the process."""
    return service.fetch(path).text.split("|")


def everywhere(path):
    """The answers of all workers, by number."""
    answers = {}

    def ask():
        number, *rest = get(path)
        answers.setdefault(number, []).append(rest)
        return len(answers) == WORKERS

    until(f"all workers answer {path}", ask)
    return answers


def whole(without=()):
    now = service.workers()
    return len(now) == WORKERS and not set(without) & set(now) and not service.old_workers()


def beats(since):
    """Who the task of all runs in, by what it says from there on."""
    return [int(pid) for pid, _ in said(r"beat of all (\d+) (\d+)", since)]


def one_beats(sentence, since, among):
    """Ten beats in a row are of one of these processes, and of no other."""
    def steady():
        last = beats(since)[-10:]
        return len(last) == 10 and len(set(last)) == 1 and last[0] in among() and last[0]

    return until(sentence, steady)


until("all workers serve", whole)

# ---- two worlds ----------------------------------------------------------------------------------
for number, answers in everywhere("/all").items():
    check(f"{number}: files for all see nothing of the worker's: {answers[0][0]}",
          answers[0][0] == "0 x! 1 nil nil nil nil nil 1 false table")
for number, answers in everywhere("/own_before").items():
    check(f"{number}: nor the worker's of theirs: {answers[0][0]}",
          answers[0][0] == "nil nil nil nil nil false true true true")
for number, answers in everywhere("/own").items():
    check(f"{number}: nor later: {answers[0][0]}",
          answers[0][0] == f"{number} x? nil 1 1 nil false table")
    check(f"{number}: a converter of the files for all", answers[0][2] == "c!")
for path, word in (("/own_module", r"found \d+ x\?"), ("/own_waits", r"x\?y\?nil")):
    for number, answers in everywhere(path).items():
        check(f"{number}: {path}: {answers[0][0]}", re.fullmatch(word, answers[0][0]))
get("/all_fails")
until("an error names the state of all", lambda: "[state-id 0] runtime error" in log())
failed = get("/own_fails")[0]
until("or that of the worker", lambda: f"[state-id {failed}] runtime error" in log())
get("/own_memory")
until("one that takes all memory fails", lambda: "'own_memory': out of memory" in log())
for number, answers in everywhere("/all").items():
    check(f"{number}: the others go on", answers[0][0].startswith("0 x! 1"))

# ---- once for the service, or once in each worker ------------------------------------------------
pids = set(map(str, service.workers()))
until("tasks of each worker", lambda: set(said(r"task of own in (\d+)")) == pids)
until("with the tasks that these begin", lambda: set(said(r"task of a task in (\d+) x\?")) == pids)
check("init functions of each worker", sorted(said(r"init of own in (\d+)")) == sorted(pids))
check("the init function for all ran once", len(said("init of all")) == 1)
until("the short task as well", lambda: len(said("short task of all")) == 1)
runs = one_beats("the task for all runs in one", 0, service.workers)
check("it has begun once", said(r"task of all begins in (\d+)") == [str(runs)])

# ---- variables of the process --------------------------------------------------------------------
get("/set?value=action")
until("what an action sets", lambda: all(a[-1][1] == "action" for a in everywhere("/x").values()))
service.ask("all set command")
until("what a command sets", lambda: all(a[-1][1] == "command" for a in everywhere("/x").values()))
get("/unset")
until("what is unset", lambda: all(a[-1][1] == "" for a in everywhere("/x").values()))
service.ask("experimental-mode on; set var proc.by_script str(kept)")  # the parent has it then
until("a value", lambda: all(a[-1][1] == "kept" for a in everywhere("/x").values()))

# ---- the worker of the task is killed ------------------------------------------------------------
for n in range(KILLS):
    since, victim = len(log()), runs if n % 2 == 0 else random.choice(service.workers())
    os.kill(victim, signal.SIGKILL)
    until(f"{n}: a worker is killed and replaced", lambda: whole([victim]))
    was, runs = runs, one_beats("the task for all runs in one", since, service.workers)
    if victim == was:
        until("one that had ended begins anew as well", lambda: "short task of all" in log()[since:])
        # A beat that the log has of the killed one may be cut short by what is counted from.
        anew = said(rf"beat of all {runs} (\d+)", since)
        check(f"it begins anew in another process, {runs}", runs != victim and anew[0] == "1")
    else:
        check("it stays where it is", was == runs and "task of all begins" not in log()[since:])
pids = set(map(str, service.workers()))
until("tasks of each worker run in replacements", lambda: pids <= set(said(r"task of own in (\d+)")))
check("the init function for all ran once", len(said("init of all")) == 1)
check("replacements have the variable",
      all(a[-1][1] == "kept" for a in everywhere("/x").values()))
victims = service.workers()
since = len(log())
for victim in victims:
    os.kill(victim, signal.SIGKILL)
until("all are killed at once, and replaced", lambda: whole(victims))
runs = one_beats("the task for all runs in one", since, service.workers)

# ---- a reload ------------------------------------------------------------------------------------
slow = connect(service.args.front)
slow.sendall(b"POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
before, since = service.workers(), len(log())
check("a reload", "Success=1" in service.parent("reload"))
until("old workers wait for it", service.old_workers)
runs = one_beats("the task for all runs in a new worker alone", since,
                 lambda: set(service.workers()) - set(before))
check("it begins anew", said(rf"beat of all {runs} (\d+)", since)[0] == "1")
check("the init function for all runs in the new generation once",
      len(said("init of all", since)) == 1)
check("globals and variables begin anew",
      all(a[-1][1] == "" for a in everywhere("/x").values()))
slow.sendall(b"z")
check("the old worker finishes", b" 200 " in read_all(slow))
until("and ends", whole)
finish()
