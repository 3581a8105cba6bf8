# SPDX-License-Identifier: BSD-2-Clause
"""What parent_socket.sh describes."""

import re

from service import Service, ask, check, connect, finish, until
service = Service()
path, stats = service.args.parent, service.args.stats
workers = until("three workers serve", lambda: len(service.workers()) == 3 and service.workers())


def seen(address, command):
    return sorted(re.findall(r"^# worker (\d)", ask(address, command), re.M))


for prefix in "@1 ", "@1;", "@1\n":
    check(f"{prefix!r} answers for all workers",
          len(seen(stats, "show activity")) == 3 and seen(path, prefix + "show activity") == seen(stats, "show activity"))
check("@!pid for one", seen(path, f"@!{workers[1]} show activity") == [])
check("@!pid counts for one, too", f"Pid: {workers[1]}" in ask(path, f"@!{workers[1]} show info"))
env = dict(line.split("=", 1) for line in ask(stats, "show env").splitlines())
check("the environment tells of workers", env.get("HAPROXY_MWORKER") == "1" and
      "seen_while_reading" in ask(stats, "show backend"))
check("and of stats sockets", re.fullmatch(rf"unix@{stats};ipv4@127\.0\.0\.1:\d+", env.get("HAPROXY_CLI", "")))
check("and of the parent's", env.get("HAPROXY_MASTER_CLI") == f"unix@{path}")
check("not of formats of log lines", not [name for name in env if name.endswith("_LOG_FMT")])
check("there is no second process", ask(path, "@2 show info").startswith("Can't find the target PID"))
clients = [connect(service.args.front) for _ in range(12)]
sessions = lambda address, command: ask(address, command).count(" fe=fe ")
until("all sessions are seen", lambda: sessions(stats, "show sess") == 12)
check("through the parent, too", sessions(path, "@1 show sess") == 12)
check("by one worker those of its own", sum(sessions(path, f"@!{pid} show sess") for pid in workers) == 12
      and all(sessions(path, f"@!{pid} show sess") < 12 for pid in workers))
check("a change is seen by all", ask(path, "@1 set weight be/s1 7") == "" and
      all(ask(path, f"@!{pid} get weight be/s1").startswith("7 ") for pid in workers))
finish()
