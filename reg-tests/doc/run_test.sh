#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# contrib/run-test ends a test at its limit, script or VTC file, says so, and fails; the limit is
# that of the head of the test, times a factor. It says what others took, and their result is its
# own.
. "${0%/*}/../lib.sh"
run=$srcdir/contrib/run-test
export TEST_TIMES="$dir" TEST_LIMIT_FACTOR=1

printf '#!/bin/sh\n# Words.\n# Limit: 1 s\n\nexec sleep 50\n' >"$dir/long.sh"
sh "$run" sh "$dir/long.sh" >"$dir/said"
check "a script is ended" test $? -eq 1
check "which is said" grep -q "^FAILED .*long.sh took longer than its limit of 1 s" "$dir/said"
check "what it took is noted" grep -q "^1\.[0-9]* .*long.sh$" "$dir"/*:long.sh

if [ -n "${VARNISHTEST:-}" ]; then
	printf '# Limit: 1 s\nvarnishtest "long"\ndelay 50\n' >"$dir/long.vtc"
	TEST_LIMIT_FACTOR=2 sh "$run" sh "$srcdir/contrib/run-vtc" "$dir/long.vtc" >"$dir/said"
	check "a VTC file is ended" test $? -eq 1
	check "at its limit times the factor" grep -q "longer than its limit of 2 s" "$dir/said"
fi

printf '#!/bin/sh\nexit 77\n# Limit: 0 s\n' >"$dir/skipped.sh"
sh "$run" sh "$dir/skipped.sh" >"$dir/said"
check "a result is passed on" test $? -eq 77
check "and nothing is said" test ! -s "$dir/said"
finish
