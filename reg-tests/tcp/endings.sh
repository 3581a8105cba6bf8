#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every way in which a stream ends has its code in the log, and both sides see what they must,
# whichever way the bytes move. The table is in endings.c. On a busy machine a side may come too
# late for its part: what was not as expected is played again with longer times.
. "${0%/*}/../lib.sh"

# play SLOWER ROW...: no rows, all of them. Fails when some ended otherwise, which are then in
# $dir/rows.
play() {
	slower=$1
	shift
	LINES_OF_DEFAULTS=$lines SLOWER=$slower "$topbuild/reg-tests/tcp/endings" "$PENSTOCK" "$dir" "$@" \
		>"$dir/out" && grep '^ok' "$dir/out" && return
	cat "$dir/out"
	sed -n 's/^FAILED  \([a-z_]*\):.*/\1/p' "$dir/out" >"$dir/rows"
	[ -s "$dir/rows" ] || echo no_row_was_played >"$dir/rows"
	return 1
}

for lines in "" "no option splice-request
 no option splice-response" "option splice-request
 option splice-response"; do
	say "## ${lines:-adaptive}"
	play 1 || play 4 $(cat "$dir/rows") || play 15 $(cat "$dir/rows") ||
		{ cat "$dir/messages"; fail "some ended otherwise"; }
done
[ $failures = 0 ]
