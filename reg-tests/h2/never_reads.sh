#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that asks and never reads: at 64 kB that wait nothing more is read of it, and it ends by
# `timeout http-keep-alive' and `timeout client'.
. "${0%/*}/attack.sh"
client_time=1s keep_time=1s
attack <<'END'
expected = ["ended"]
SECONDS = 3


def attack():
    c = attacker(rcvbuf=4096)
    return "ended" if pour(c, (b"".join(headers(2 * (100 * i + k) + 1, request("/here"))
                                        for k in range(100)) for i in range(100000)), False) != "open" else "open"
END
