# SPDX-License-Identifier: BSD-2-Clause
"""What no_memory_once.sh describes."""

import os

from countdown import Countdown
from http1 import reply
from origin import serve_each, serve_requests
from service import Service, check, finish

service = Service()
seen = []  # the connection over which each request has come
countdown = Countdown(os.path.join(service.args.dir, "nth"))


def origin(s):
    """Keeps its connection behind /first, not behind /second."""
    serve_requests(s, lambda r: seen.append(s) or reply(close=r.path == "/second"))


def get(path):
    """Was it answered with 200?"""
    try:
        return service.get(path) == 200
    except OSError:
        return False


serve_each(service.args.back, origin)
once = failed = n = 0
while True:
    n += 1
    countdown.set(n)
    served = get("/first")
    reached = countdown.left() <= 0
    countdown.set(0)
    check(f"{n}: the next one is served", get("/second"))
    if not reached:
        break
    failed += not served
    once += served and seen[-1] != seen[-2]
print(f"        {n - 1} allocations: {failed} needed, {once} to keep the connection")
check("what was kept is used again", served and seen[-1] == seen[-2])
check("without memory for that it is used once", once == 1)
finish()
