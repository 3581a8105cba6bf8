#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Windows above 2^31-1: of a stream, it ends with FLOW_CONTROL_ERROR; of the connection, that does.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["as it has to be"]


def attack():
    c = attacker()
    stream = c.open(request(method="POST"), False, window(1, 0x7fffffff))
    first = c.ends(stream)
    stream = c.open(request(method="POST"), False)
    c.send(window(stream, 1000) + settings((INITIAL_WINDOW_SIZE, 0x7fffffff)))
    second = c.goaway()
    c = attacker()
    c.send(window(0, 0x7fffffff))
    good = (first, second, c.goaway()) == (("reset", FLOW_CONTROL_ERROR), FLOW_CONTROL_ERROR,
                                           FLOW_CONTROL_ERROR)
    return "as it has to be" if good else repr((first, second, c.seen))
END
