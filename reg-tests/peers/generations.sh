#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service that reloads keeps its tables and asks nobody; when the worker that speaks dies, another
# one goes on where it was; a process that is replaced by -sf teaches its successor.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
driver "${0%/*}/generations.py" || failures=1
finish
