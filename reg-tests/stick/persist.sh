#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Persistence by stick tables: what HAProxy 2.6 makes of the cases of persist.txt, Penstock makes of
# them, but for persist_deviations.txt; where HAProxy 2.6 is at hand, persist_answers.txt is what it
# says now.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
here=$(cd "$srcdir/reg-tests/stick" && pwd)

check "as the reference" timeout 600 python3 "$here/persist.py" compare "$PENSTOCK" "$dir"
if haproxy -v 2>/dev/null | grep -q 'version 2\.6'; then
	check "the reference itself" timeout 600 python3 "$here/persist.py" compare haproxy "$dir" \
		persist_answers.txt
fi
[ "$failures" -eq 0 ]
