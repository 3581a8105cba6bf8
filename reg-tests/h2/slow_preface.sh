#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Connections that say their preface byte by byte, or nothing behind it, or never acknowledge
# SETTINGS: they end by `timeout http-request', and by SETTINGS_TIMEOUT.
. "${0%/*}/attack.sh"
request_time=1s
attack <<'END'
expected = ["ended"]


def attack():
    slow = [Client(service.args.front, preface=b"", first=b"") for _ in range(100)]
    silent = [Client(service.args.front, first=b"") for _ in range(100)]
    for byte in PREFACE[:20]:
        for c in slow:
            c.send(bytes([byte]))
    gone = [c.goaway(60) for c in slow + silent]
    return "ended" if all(c.over for c in slow + silent) else repr(gone)


def afterwards():
    c = Client(service.args.front, acknowledge=False)
    c.open(request(method="POST"), False)  # so it is not idle
    check("settings that nobody acknowledges", c.goaway(60) == SETTINGS_TIMEOUT)
    c.close()
END
