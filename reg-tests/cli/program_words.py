# SPDX-License-Identifier: BSD-2-Clause
"""What program_words.sh describes."""

import re

from service import Service, ask, check, finish, until
service = Service()
stats, parent = service.args.stats, service.args.parent
workers = until("two workers serve", lambda: len(service.workers()) == 2 and service.workers())

for where in (lambda c: ask(stats, c)), (lambda c: ask(parent, "@1 " + c)):
    said = where("show threads")
    check("each worker is a thread", {int(n) for n in re.findall(r"^# worker (\d)", said, re.M)} == {1, 2})
    check("with its process", all(f" id={pid} " in said for pid in workers))
    check("and processor time", all(int(n) > 0 for n in re.findall(r"cpu_ns: now=(\d+)", said)))
    said = where("show tasks")
    check("tasks are counted", len(re.findall(r"^Running tasks: \d+ ", said, re.M)) == 3)
    rows = [line.split() for line in where("show libs").splitlines()]
    check("libraries have their places", all(re.fullmatch(r"0x\w+-0x\w+", r[0]) and re.fullmatch(r"\(0x\w+\)", r[1])
                                             and int(r[0][14:].split("-")[-1], 16) > 0 for r in rows) and len(rows) > 5)
    check("the program and libc are among them", any("libc.so" in r[2] for r in rows) and "penstock" in rows[0][2])
    check("there is no cache", where("show cache") == "")
    check("what was said at the start", "doubtful" in where("show startup-logs"))
said = ask(parent, "show startup-logs"), ask(stats, "show startup-logs")
check(f"the parent says it, too: {said}", said[1] and said[0].startswith(said[1]))
for command in "show threads", "show tasks", "show libs", "show cache", "show startup-logs":
    check(f"{command} is no user's", ask(stats, "user;" + command).strip() == "Permission denied")
for command in ("enable dynamic-cookie backend be", "disable dynamic-cookie backend be", "set dynamic-cookie-key backend be x"):
    check(f"{command} is the admin's", ask(stats, "operator;" + command).strip() == "Permission denied")
for command, answer in (("enable dynamic-cookie backend nope", "No such backend."),
                        ("disable dynamic-cookie backend", "A backend name is expected."),
                        ("set dynamic-cookie-key backend fe x", "No such backend."),
                        ("set dynamic-cookie-key backend be", "String value expected.")):
    check(command, ask(stats, "set severity-output number;" + command) == "\n[3]: " + answer)
finish()
