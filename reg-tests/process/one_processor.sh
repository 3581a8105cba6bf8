#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# At a terminal one line tells that one of several processors is used, where the file says nothing
# of it. Nothing is said where it does, with -q, with -c, and where no terminal is.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
python3 "${0%.sh}.py" "$PENSTOCK" "$dir" "$stats" || fail "one_processor"
finish
