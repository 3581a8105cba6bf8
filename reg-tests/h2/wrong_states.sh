#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Frames on streams that are idle, closed or half-closed: GOAWAY where the RFC wants it, else
# glitches, which end the connection with ENHANCE_YOUR_CALM.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "GOAWAY PROTOCOL_ERROR", "GOAWAY STREAM_CLOSED", "closed"]
turn = 0


def attack():
    global turn
    turn += 1
    c = attacker()
    c.ends(c.open(request("/here")))  # 1: closed
    kind = turn % 6
    piece = [frame(DATA, 0, 1, b"x"), frame(DATA, 0, 1), rst(1), headers(1), frame(DATA, 0, 9, b"x"),
             window(9, 1)][kind]
    how = pour(c, (piece * 100 for _ in range(200)))
    wanted = [("GOAWAY ENHANCE_YOUR_CALM",), ("GOAWAY ENHANCE_YOUR_CALM",), ("GOAWAY ENHANCE_YOUR_CALM",),
              ("GOAWAY STREAM_CLOSED",), ("GOAWAY PROTOCOL_ERROR",), ("GOAWAY PROTOCOL_ERROR",)][kind]
    return how if how in wanted + ("closed",) else f"{kind}: {how}"
END
