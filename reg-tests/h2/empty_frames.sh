#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Empty DATA on open and on closed streams, and streams begun by empty HEADERS (CVE-2019-9518):
# glitches, that end the connection with ENHANCE_YOUR_CALM.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]
turn = 0


def attack():
    global turn
    turn += 1
    if turn % 3 == 0:
        return flood(lambda i: headers(2 * i + 1, b""))
    c = attacker()
    c.send(headers(1, request("/here"), end=False))
    if turn % 3 == 1:
        c.send(rst(1))
    return pour(c, (frame(DATA, 0, 1) * 100 for _ in range(1000)))
END
