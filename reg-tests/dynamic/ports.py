# SPDX-License-Identifier: BSD-2-Clause
"""What ports.sh describes."""

from origin import Origin
from service import Service, address, check, finish

service = Service("offset")
origin = Origin(service.args.back)
port, offset = address(service.args.back)[1], service.args.offset
good = open(service.cfg).read()


def statuses():
    return {name: {service.get(f"/{name}/") for _ in range(4)} for name in ("fixed", "none", "plus")}


ways = {"fixed": offset, "none": port, "plus": offset}
wanted = {name: {200} for name in ways}
service.settle()
check("nobody is where the file says", all(service.get(f"/{name}/") == 503 for name in ("fixed", "plus")))
for name, where in ways.items():
    said = service.ask(f"set server {name}/s addr 127.0.0.1 port {where}")
    check(f"{name}: {said.strip()}", "port changed from" in said)
check(f"connections go there: {statuses()}", statuses() == wanted)
for turn in 1, 2:
    service.reload()
    check(f"as before: {statuses()}", statuses() == wanted)
service.reload(good.replace("s 127.0.0.1:+20000", "s 127.0.0.1:+20001").replace("s 127.0.0.1:1 ", "s 127.0.0.1:2 "))
now = statuses()
check(f"what the file says anew wins, and that alone: {now}",
      now == {"fixed": {503}, "none": {200}, "plus": {503}})
finish()
