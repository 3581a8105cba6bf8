# SPDX-License-Identifier: BSD-2-Clause
"""What parent_socket.sh describes."""

import re

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
