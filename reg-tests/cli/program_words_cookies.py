# SPDX-License-Identifier: BSD-2-Clause
"""What program_words.sh describes."""

import re

from origin import Origin
from service import Service, check, connect, finish, read_all
service = Service()
origin = Origin(service.args.back)
seen = []


def cookie():
    with connect(service.args.front) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = re.search(rb"(?i)set-cookie: SRV=(\w+)", read_all(s))
        return found.group(1).decode() if found else None


def step(command):
    if command:
        said = service.ask(command)
        check(f"{command}: nothing to say", said == "")
    values = {cookie() for _ in range(12)}
    check(f"{command}: all workers alike", len(values) == 1)
    seen.append(values.pop())


step(None)
step("set dynamic-cookie-key backend be second")
step("disable dynamic-cookie backend be")
step("enable dynamic-cookie backend be")
step("set dynamic-cookie-key backend be first")
check("values follow the key", seen[0] == seen[4] and seen[1] == seen[3] != seen[0] and seen[2] is None and seen[0])
with open(service.args.dir + "/seen", "a") as f:
    print(seen, file=f)
finish()
