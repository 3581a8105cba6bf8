#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Windows of no byte, and of one byte at a time, held for ever: a stream that may not send waits
# with what its server has sent, a buffer, and ends by `timeout client'. Windows of one byte are
# glitches.
. "${0%/*}/attack.sh"
client_time=2s
attack <<'END'
expected = ["ended", "GOAWAY ENHANCE_YOUR_CALM"]
turn = 0


def attack():
    global turn
    turn += 1
    c = attacker(first=settings((INITIAL_WINDOW_SIZE, turn % 2)))
    streams = [c.open() for _ in range(100)]
    if turn % 2:
        return pour(c, (b"".join(window(s, 1) for s in streams) for _ in range(100)))
    ended = [c.ends(s, 60) for s in streams]
    good = all(how and how[0] == "reset" for how in ended) and c.ping()
    c.close()
    return "ended" if good else repr(ended)
END
