#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A teacher is waited for as long as it teaches, also tables that we do not have; one that stops is
# not.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
driver "${0%/*}/teacher.py" || failures=1
finish
