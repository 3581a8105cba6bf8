#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two members change 250 keys each, 20,000 times at once; then both have the same. Again, and one of
# them is killed amid it. The other one is a Penstock, then a HAProxy where there is one.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
driver "${0%/*}/storm.py" || failures=1
finish
