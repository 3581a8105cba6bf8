#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SETTINGS, PING, their acknowledgements, PRIORITY, WINDOW_UPDATE and frames of unknown types
# without end (CVE-2019-9512, 9513, 9515): glitches, that end the connection with ENHANCE_YOUR_CALM.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]
kinds = [settings(), settings(*[(INITIAL_WINDOW_SIZE, i) for i in range(1000)]), frame(SETTINGS, ACK),
         frame(PING, 0, 0, b"12345678"), frame(PING, ACK, 0, b"12345678"),
         frame(PRIORITY, 0, 3, b"\0\0\0\5\1"), window(0, 1), window(0, 300), frame(99, 0, 0, b"x"),
         frame(PRIORITY_UPDATE, 0, 0, b"\0\0\0\3u=1")]
turn = 0


def attack():
    global turn
    turn += 1
    return flood(kinds[turn % len(kinds)])
END
