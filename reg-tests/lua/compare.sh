#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Scripts in Lua do what they did in the reference (cases/GROUP.answers), but for what
# deviations.txt says; with PENSTOCK_COMPARE=1, where HAProxy 2.6 is at hand, the answers are what
# it says now. Of HAProxy 2.8 ($HAPROXY28) are those of "later", and in cases/GROUP.2.8 what it
# answers otherwise.
# Limit: 120 s
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
"$PENSTOCK" -vv | grep -q '+LUA' || exit 77
here=$(cd "$srcdir/reg-tests/lua" && pwd)
# reference PROGRAM GROUP: where it says nothing, that is recorded, too.
reference() { PATIENCE=15 python3 "$here/compare.py" check "$1" "$2"; }

for group in applets basics channel core fetches filters filters2 http limits names sockets tasks \
	threads txn; do
	check "$group" python3 "$here/compare.py" check "$PENSTOCK" "$group"
	if [ -n "${PENSTOCK_COMPARE:-}" ] && haproxy -v 2>/dev/null | grep -q 'version 2\.6'; then
		check "$group, the reference itself" reference haproxy "$group"
	fi
done
check later python3 "$here/compare.py" check "$PENSTOCK" later
if [ -n "${PENSTOCK_COMPARE:-}" ] && [ -x "${HAPROXY28:-}" ]; then
	check "later, the reference itself" reference "$HAPROXY28" later
	for group in applets basics channel core fetches filters http limits sockets tasks threads txn; do
		check "$group, HAProxy 2.8" env LATER=2.8 PATIENCE=15 \
			python3 "$here/compare.py" check "$HAPROXY28" "$group"
	done
fi
every=1
in_full || every=4
check "errors of configurations" python3 "$here/config.py" check "$PENSTOCK" "$every"
[ "$failures" -eq 0 ]
