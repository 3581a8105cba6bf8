#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A HAProxy that a Penstock replaces by -sf teaches it what its stick tables have, and the reverse.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
driver "${0%/*}/replaced.py" || failures=$?
[ "$failures" -eq 77 ] && exit 77
finish
