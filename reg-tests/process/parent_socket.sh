#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The parent's socket: show proc, prefixes, prompt, levels, reload with a good and a bad file.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n'; tcp_proxy; } | config
start_workers
driver - <<'END' || failures=1
import re, socket
from service import Service, ask, check, connect, finish, read_all, until
service = Service()
path, pid, cfg = service.args.parent, service.pid, service.cfg

def talk(lines):
    """What is said to these lines; the last one must end the conversation."""
    with connect(path) as s:
        s.sendall("".join(line + "\n" for line in lines).encode())
        return read_all(s).decode()

def rows():
    parts = re.split(r"# (?:old )?workers\n", ask(path, "show proc"))
    return [[line.split() for line in p.splitlines()] for p in parts]

until("two workers serve", lambda: len(rows()[1]) == 2)
head, workers = rows()[:2]
first, second = workers[0][0], workers[1][0]
check("show proc has its columns", head[0] == ["#<PID>", "<type>", "<reloads>", "<uptime>", "<version>"])
check("and the parent", head[1][:5] == [str(pid), "master", "0", "[failed:", "0]"])
check("the version is one that tools compare",
      re.fullmatch(r"2\.6\.99-penstock[0-9.]+", head[1][6]) and workers[0][4] == head[1][6] == ask(path, "show version"))
check("@1 and @2 are the workers",
      f"Pid: {first}\n" in ask(path, "@1 show info") + "\n" and f"Pid: {second}\n" in ask(path, "@2 show info"))
check("@!pid is one, too", f"Pid: {second}\n" in ask(path, f"@!{second} show info"))
for name in "@3", "@0", "@!1", "@x", "@-1":
    check(f"{name} is nobody", ask(path, name + " show info") ==
          f"Can't find the target PID matching the prefix '{name}'")
check("@master is the parent", "penstock" in ask(path, "@master show version"))
check("a command has its place", talk(["show info; quit"]).startswith("Unknown command"))
check("the prompt tells who listens",
      talk(["prompt", "@1", "show cli level", "@", "quit"]) == f"master> {first}> admin\n\n{first}> master> ")
check("several commands on a line", talk(["@1 show cli level; @2 show cli level; show cli level"]) ==
      "admin\n\nadmin\n\nadmin\n\n")
check("modes go along", "expert" in talk(["prompt", "expert-mode on", "@1 expert-mode", "quit"]))
check("a lower level is lower everywhere",
      talk(["prompt", "user", "@1 show sess", "reload", "quit"]).count("Permission denied") == 2)
for severity, names in ("number", ("[6]: ", "[3]: ")), ("string", ("[info]: ", "[err]: ")), ("none", ("", "")):
    set_it = f"set severity-output {severity};"
    check(f"severities go along: {severity}",
          ask(path, set_it + f"@1 show cli level;@!{second} get weight be/no") == f"{names[0]}admin\n\n{names[1]}No such server.")
check("what has nothing to say ends with an empty line", talk(["@1 set weight be/s1 3"]) == "\n")
check("so does an empty command", talk(["show version;"]).endswith("\n\n\n") and talk([""]) == "\n")
check("with nbproc @1 is one worker", "Process_num: 1\n" in ask(path, "@1 show info"))
check("long answers are whole", talk(["@1 show stat; @2 show stat"]).count("# pxname") == 2)

good = open(cfg).read()
busy = connect(path.replace("parent.sock", "stats.sock"))
busy.sendall(b"prompt\n")
check("somebody is connected to a worker", busy.recv(100))
open(cfg, "w").write(good + "\tbogus word\n")
said = ask(path, "reload")
check(f"a bad file is told: {said.splitlines()[0]}", said.startswith("Success=0\n--\n") and "bogus" in said)
check("and kept", "bogus" in ask(path, "show startup-logs"))
check("nothing has changed", [r[0] for r in rows()[1]] == [first, second] and rows()[0][1][4] == "1]")
check("the prompt tells", "master[ReloadFailed]> " in talk(["prompt", "quit"]))
open(cfg, "w").write(good)
check("a good one succeeds", ask(path, "reload").startswith("Success=1"))
until("there are new workers", lambda: len(rows()[1]) == 2 and rows()[1][0][0] != first)
until("the old ones stand below", lambda: len(rows()) == 3 and {r[0] for r in rows()[2]} <= {first, second})
busy.close()
until("and the old ones leave", lambda: len(rows()) == 2)
check("attempts are counted, failures until a success", rows()[0][1][2:5] == ["2", "[failed:", "0]"])
check("the prompt is well again", "master> " in talk(["prompt", "quit"]))
finish()
END
stop_penstock

# Threads of existing files.
{
	printf '\tnbthread 3\n\tstats socket ipv4@127.0.0.1:%s level user\n' "$(ports 1)"
	tcp_proxy
	printf '.if defined(HAPROXY_MWORKER)\nbackend seen_while_reading\n.endif\n'
} | config
start_workers
driver - <<'END' || failures=1
import re, socket
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
END
finish
