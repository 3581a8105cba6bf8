# SPDX-License-Identifier: BSD-2-Clause
"""What failures.sh describes."""

import re
import time

from service import Service, check, finish, until

service = Service()


def told(begin):
    with open(service.log, errors="replace") as f:
        return [line for line in f if line.startswith(begin)]


def fail(title, begin, once, times=60):
    began = time.time()
    for _ in range(times):
        once()
    lines = until(f"{title}: it is told", lambda: told(begin))
    most = 10 * (int(time.time()) - int(began) + 1)
    check(f"{title}: {len(lines)} of {times} are told, {most} at the most", 0 < len(lines) <= most)
    check(f"{title}: with file, line and traceback: {lines[0].rstrip()}",
          re.search(r"runtime error: \S+fails\.lua:1: it fails from .*fails\.lua:1: in .*fails\.lua:2: in ", lines[0]))
    if len(lines) == times:
        return # on a busy machine each has its time
    until(f"{title}: the next tells how many were not",
          lambda: once() or [line for line in told(begin) if re.search(r"\(\d+ more were not told\)", line)])


for name, what in ("act", "function"), ("fetch", "sample-fetch"), ("convert", "converter"), ("serve", "applet http"):
    fail(name, f"Lua {what} '{name if name != 'serve' else '<lua.serve>'}'", lambda: service.get("/" + name) and None)
fail("a command", "Lua cli '", lambda: service.ask("fail") and None)
fail("tasks", "Lua task", lambda: service.ask("tasks 20") and None, 30)
check("it serves", service.get() == 200)
finish()
