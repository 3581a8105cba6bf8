#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Members tell each other what changes, whichever worker changes it: both forms of the section, the
# names of tables, shards, a section that is disabled, one that this host is no member of.
. "${0%/*}/../lib.sh"
command -v python3 >/dev/null || exit 77
driver "${0%/*}/members.py" || failures=1
finish
