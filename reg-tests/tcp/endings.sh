#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every way in which a stream ends has its code in the log, and both sides see what they must,
# whichever way the bytes move. The table is in endings.c.
. "${0%/*}/../lib.sh"

for lines in "" "no option splice-request
 no option splice-response" "option splice-request
 option splice-response"; do
	say "## ${lines:-adaptive}"
	LINES_OF_DEFAULTS=$lines "$topbuild/reg-tests/tcp/endings" "$PENSTOCK" "$dir" >"$dir/out"
	code=$?
	cat "$dir/out"
	[ $code = 0 ] || { cat "$dir/messages"; fail "some ended otherwise"; }
done
[ $failures = 0 ]
