# SPDX-License-Identifier: BSD-2-Clause
"""What persist_touch.sh describes."""

import re

from origin import Origin
from service import Service, check, connect, finish, read_all, until

service = Service()
Origin(service.args.back)
entries = dict(up=1, down=2, unknown=9, none=0, cookie=1, rule=1, first=1, second=1, control=1)


def left():
	return {k: int(v) for k, v in re.findall(r"key=(\S+) use=0 exp=(\d+)", service.ask("show table fe"))}


def get(*fields):
	with connect(service.args.front) as s:
		s.sendall("\r\n".join(("GET / HTTP/1.1", "Host: x", "Connection: close") + fields + ("", "")).encode())
		return read_all(s)


for key, number in entries.items():
	service.ask(f"set table fe key {key} data.server_id {number}")
started = left()
until("time passes", lambda: all(started[k] - v > 300 for k, v in left().items()))
for fields in (["x1: up"], ["x1: down"], ["x1: unknown"], ["x1: none"], ["x1: cookie", "Cookie: C=a"],
	       ["x1: rule", "u: 1"], ["x1: first", "x2: second"]):
	check(f"served: {fields}", get(*fields).startswith(b"HTTP/1.1 200"))
now = left()
for key in entries:
	check(f"{key}: its life {'goes on' if key == 'control' else 'begins anew'}",
	      (now[key] > now["control"] + 200) == (key != "control"))
finish()
