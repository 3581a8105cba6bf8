#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Frames for which penstock resets streams that it has begun (CVE-2025-8671): each is a glitch, as
# if the client had reset it. Above 1,000 the connection ends with ENHANCE_YOUR_CALM.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]
ways = [lambda s: headers(s) + frame(DATA, 0, s, b"x"),                         # behind its end
        lambda s: headers(s, end=False) + window(s, 0x7fffffff),                # too large
        lambda s: headers(s, end=False) + window(s, 0),                         # none
        lambda s: headers(s, end=False) + frame(PRIORITY, 0, s, struct.pack(">IB", s, 1)),
        lambda s: headers(s, end=False) + headers(s, [(":path", "/")])]         # trailers


def attack():
    return flood(lambda i: ways[i % len(ways)](2 * i + 1))
END
