#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Thousands of streams opened and left: a hundred count, the others are refused, and above 1,000 of
# these the connection ends with ENHANCE_YOUR_CALM.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]


def attack():
    return flood(lambda i: headers(2 * i + 1, request(method="POST"), end=False))
END
