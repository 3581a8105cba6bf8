# SPDX-License-Identifier: BSD-2-Clause
"""What sums.sh describes."""

import os
import re

from service import Service, check, finish

service = Service()


def sums():
    tables, total = service.ask("show stick-tables").rsplit("\n", 1)
    check("the lines of show table", tables == service.ask("show table"))
    sizes = [int(n) for n in re.findall(r"size:(\d+)", tables)]
    used = [int(n) for n in re.findall(r"used:(\d+)", tables)]
    count, size, in_use, memory = map(int, re.fullmatch(
        r"# tables: (\d+), size:(\d+), used:(\d+), memory:(\d+)", total).groups())
    check("their sums", (count, size, in_use) == (2, sum(sizes), sum(used)))
    return in_use, memory


def given():
    """Bytes of the file in which all tables lie."""
    folder = f"/proc/{service.workers()[0]}/fd/"
    for fd in os.listdir(folder):
        if "penstock-stick" in os.readlink(folder + fd):
            return os.stat(folder + fd).st_blocks * 512
    raise SystemExit("FAILED  no file of stick tables")


def put(table, keys):
    keys = list(keys)
    for i in range(0, len(keys), 200):
        service.ask(";".join(f"set table {table} key {key} data.gpc0 1" for key in keys[i:i + 200]))


used, before = sums()
check("nothing is in use", used == 0)
put("ip", ("192.0.2.1",))
put("texts", ("first",)) # its page is taken, and what processes need for the first change
base, small = given(), sums()[1]
put("texts", (f"key {n}".replace(" ", "-") for n in range(10000)))
used, large = sums()
check("entries of both", used == 10002)
check(f"memory that was taken: {large - small} of {given() - base}",
      abs((large - small) - (given() - base)) < (given() - base) // 50)
service.ask("clear table texts")
used, after = sums()
check("what was taken is kept", used == 1 and after >= large)
check("it has no argument", "no argument" in service.ask("show stick-tables texts"))
finish()
