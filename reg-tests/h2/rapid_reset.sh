#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Requests that are reset at once (CVE-2023-44487): each is a glitch. Above 1,000 the connection
# ends with ENHANCE_YOUR_CALM.
. "${0%/*}/attack.sh"
attack <<'END'
expected = ["GOAWAY ENHANCE_YOUR_CALM", "closed"]


def attack():
    return flood(lambda i: headers(2 * i + 1) + rst(2 * i + 1))
END
