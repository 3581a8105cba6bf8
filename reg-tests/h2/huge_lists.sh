#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Lists of fields far above the limit: 431 up to four times of it, then the connection ends with
# ENHANCE_YOUR_CALM, at the latest behind 1,000 of them. No server sees any.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]
turn = 0


def attack():
    global turn
    turn += 1
    many = [("a", "b" * 60)] * 250            # with 32 bytes each they are above 16 kB
    if turn % 2:
        return flood(lambda i: headers(2 * i + 1, request(extra=many[:200])) , 10000, 10)
    few = block(request()) + literal("c", "d" * 2000, True)
    return flood(lambda i: headers(2 * i + 1, few + b"\xbe" * 40), 10000, 10)
END
