#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where a configuration certainly asks for what a stick table does not store, that is a warning,
# with the place and the cure, all of a file at once (uses_wrong.cfg). Where it may be meant so a
# notice says what is never found, and nowhere else (uses.cfg): with zero-warning it is taken, too.
# HAProxy takes both without a word.
. "${0%/*}/../lib.sh"

# judged NAME STATUS
judged() {
	"$PENSTOCK" -c -f "$1.cfg" >"$log" 2>&1
	check "$1: exit code" test $? -eq "$2"
	grep "^$1.cfg:" "$log" >"$dir/said"
	check "$1: what is said" diff "$1.txt" "$dir/said"
	for other in haproxy "${HAPROXY28:-}"; do
		"$other" -v 2>/dev/null | grep -q 'version 2\.[68]' || continue
		"$other" -c -q -f "$1.cfg" >"$log" 2>&1
		check "$1: $other takes it: $(cat "$log")" test $? -eq 0
	done
}

cd "$srcdir/reg-tests/stick" || exit 1
judged uses 0
judged uses_wrong 0
finish
