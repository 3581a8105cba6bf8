#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A long field in the table, which each byte of a block names again: far above the limit of a list
# the connection ends with ENHANCE_YOUR_CALM, before the block was read to its end.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]


def attack():
    c = attacker()
    c.send(headers(1, block(request()) + literal("a", "b" * 4000, True)))
    return pour(c, (headers(2 * i + 3, block(request()) + b"\xbe" * 16000) for i in range(100)))
END
