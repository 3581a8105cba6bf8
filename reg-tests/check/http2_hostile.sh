#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks over HTTP/2 of servers that flood, send heads and bodies without end, malformed frames, or
# close at each step: each has a clear result, and all of them together take little memory.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
if sanitized || grep -q __asan_init "$PENSTOCK"; then
	export SANITIZED=1
fi
check "each server has its result" python3 "$srcdir/reg-tests/check/http2_hostile.py" "$PENSTOCK" "$dir"
finish
