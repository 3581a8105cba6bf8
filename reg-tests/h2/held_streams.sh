#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# As many streams as may be, each with fields of 16 kB by a few bytes (CVE-2026-49975), and windows
# that stay closed: what is kept for them is bounded, for as long as `timeout client' lets them
# wait. Then they end, and the connection goes on.
. "${0%/*}/attack.sh"
client_time=2s
attack <<'END'
expected = ["all ended in time"]


def attack():
    c = attacker(first=settings((INITIAL_WINDOW_SIZE, 0)))
    c.send(headers(1, block(request()) + literal("a", "b" * 3900, True)))
    c.next = 3
    streams = [1] + [c.open(block(request()) + b"\xbe" * 3) for _ in range(98)]
    ended = [c.ends(s, 60) for s in streams]
    good = all(how and how[0] == "reset" for how in ended)
    alive = c.ping()
    c.close()
    return "all ended in time" if good and alive else repr((ended, alive))
END
