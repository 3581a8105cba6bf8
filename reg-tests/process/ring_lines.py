# SPDX-License-Identifier: BSD-2-Clause
"""What ring_lines.sh describes."""

import os
import signal
import socket
import subprocess
import sys
import threading

from service import Service, address, check, connect, finish, until

lines, front, stats, parent = sys.argv[1:5]
command = sys.argv[5:]
sys.argv = sys.argv[:1] + ["--front", front, "--stats", stats, "--parent", parent]
service, heard, connections = Service(), [], []
server = socket.create_server(address(lines))


def listen():
    while True:
        conn, _ = server.accept()
        connections.append(conn)
        threading.Thread(target=hear, args=(conn,), daemon=True).start()


def hear(conn):
    with conn.makefile(errors="replace") as f:
        for line in f:
            heard.append(line.rstrip("\n"))


def times(text):
    return sum(text in line for line in heard)


def once(sentence, text):
    until(sentence, lambda: times(text) > 0)


threading.Thread(target=listen, daemon=True).start()
started = subprocess.Popen(command, stdout=open(os.path.dirname(parent) + "/log", "w"),
                           stderr=subprocess.STDOUT)


until("two workers serve", lambda: len(service.workers()) == 2)
first = service.workers()
once("the start is heard", "Loading success.")
victim = first[0]
os.kill(victim, signal.SIGKILL)
once("so is the end of a worker", "Worker 1 (%d) was killed by signal 9" % victim)
until("it is replaced", lambda: len(service.workers()) == 2 and victim not in service.workers())
second = service.workers()
once("which is heard", "New worker 1 (%d) forked." % second[0])
check("a reload", "Success=1" in service.parent("reload"))
third = service.workers()
until("the new image is heard", lambda: times("Loading success.") == 2)
once("old workers are", "Worker 2 (%d) has finished." % second[1])
until("and they themselves were", lambda: times("Soft stop: 0 sessions to finish.") >= 2)
for pid in [first[0], first[1], second[0], *third]:
    check("%d began once" % pid, times("(%d) forked." % pid) == 1)
check("nothing else was heard twice", times("was killed by signal 9") == 1 and
      times("Reloading: the files are read.") == 1)
until("the old ones have gone", lambda: not service.old_workers())
shown = service.ask("show events r1")
check("show events has the parent's lines once",
      all(shown.count("(%d) forked." % pid) == 1 for pid in third))
shown = []


def watch():
    with connect(stats) as s:
        s.sendall(b"show info;show events r1 -w\n")
        for line in s.makefile(errors="replace"):
            shown.append(line)


def seen(text):
    return sum(text in line for line in shown)


threading.Thread(target=watch, daemon=True).start()
until("show events -w shows what the parent has said", lambda: seen("(%d) forked." % third[1]) > 0)
serving = int(next(line for line in shown if line.startswith("Pid: ")).split()[1])
victim = next(pid for pid in third if pid != serving)
number = third.index(victim) + 1
os.kill(victim, signal.SIGKILL)
until("and what it says then", lambda: seen("Worker %d (%d) was killed by signal 9" % (number, victim)))
until("it is replaced, too", lambda: len(service.workers()) == 2 and victim not in service.workers())
until("which is shown", lambda: seen("(%d) forked." % service.workers()[number - 1]) == 1)
service.ask("disable frontend fe")
until("of a change", lambda: seen("Paused frontend fe.") > 0)
check("each line once", seen("(%d) forked." % third[1]) == 1 and seen("was killed by signal 9 (SIGKILL)") >= 1)
check("a ring that is not there is said once", service.ask("show events nosuch -w").count("No such") == 1)
os.kill(started.pid, signal.SIGTERM)
check("it ends", started.wait(120) in (0, 143))
once("what it says last is heard, too", "All workers have ended.")
finish()
