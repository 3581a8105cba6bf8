#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Blocks of fields without end (CVE-2024-27316): at most 64 frames, and twice a buffer, then the
# connection ends with ENHANCE_YOUR_CALM. Nothing of them is kept.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]
turn = 0


def attack():
    global turn
    turn += 1
    piece = [b"", literal("a", "b" * 10), literal("a", "b" * 16000)][turn % 3]
    c = attacker()
    c.send(headers(1, complete=False))
    return pour(c, (frame(CONTINUATION, 0, 1, piece) * 20 for _ in range(1000)))
END
