#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# httpsoak itself is judged: it passes what a relay of bytes without a fault does, and finds each of
# the faults that such a relay can have.
. "${0%/*}/../lib.sh"

# judge FAULT [OPTIONS]
judge() {
	fault=$1
	shift
	"$topbuild/reg-tests/http/httpsoak" -f "$front" -b "$back" -F "$fault" -S 1 -t 0 -n 500 "$@" \
		>"$log" 2>&1
}

# found WHAT: the log of the last run counts failures; otherwise the log is shown.
found() {
	grep -q 'FAILED.*failures' "$log" || cat "$log"
	check "$1: $(grep -m 1 FAILED "$log")" grep -q 'FAILED.*failures' "$log"
}

judge none && pass "no fault" || { cat "$log"; fail "no fault"; }
for fault in flip lose double cut stall hold dirty stale finish repeat; do
	if judge "$fault" -w 2; then
		cat "$log"
		fail "$fault is not found"
	else
		found "$fault"
	fi
done
if judge none -x -w 2; then
	fail "a second response is not found"
else
	found "a second response"
fi
finish
