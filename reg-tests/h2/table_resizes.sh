#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The table of fields made small and large in each block, and by SETTINGS: a block may change it
# twice, and settings again are glitches.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "GOAWAY COMPRESSION_ERROR", "closed"]
turn = 0
SIZE = b"\x3f\xe1\x1f"  # 4,096


def attack():
    global turn
    turn += 1
    if turn % 3 == 0:
        return flood(lambda i: headers(2 * i + 1, (b"\x20" + SIZE) * 4000 + block(request())), 1000, 1)
    if turn % 3 == 1:
        return flood(lambda i: headers(2 * i + 1, b"\x20" + SIZE + block([("A", "b")])))
    return flood(lambda i: settings((HEADER_TABLE_SIZE, i % 2 * 4096)))
END
