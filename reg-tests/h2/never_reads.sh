#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that asks and never reads: at 64 kB that wait nothing more is read of it, and it ends by
# `timeout http-keep-alive' and `timeout client'. The end is looked for at our side: with a full
# queue the kernel tells the client minutes later.
. "${0%/*}/attack.sh"
client_time=1s keep_time=1s
attack <<'END'
expected = ["ended"]
SECONDS = 3


def attack():
    c = attacker(rcvbuf=4096)
    c.sock.setblocking(False)
    out, stream, end = b"", 1, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not out:
            out = b"".join(headers(stream + 2 * k, request("/here")) for k in range(100))
            stream += 200
        try:
            out = out[c.sock.send(out):]
        except BlockingIOError:
            if service.info()["H2FrontendCurrConns"] == "0":
                return "ended"
            select.select([], [c.sock], [], 0.1)
        except OSError:
            return "ended"
    return "open"
END
