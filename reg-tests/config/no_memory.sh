#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A configuration is read while one of its allocations fails: the program says what is wrong and
# ends with 1, or manages without. It is never killed, and no file counts as empty for want of
# memory. Here some allocations of those that there are; STEP=1 TEST_LIMIT_FACTOR=20 lets each fail.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "a sanitizer brings its own malloc"; exit 77; }
if "$PENSTOCK" help crt-base >/dev/null 2>&1 && command -v openssl >/dev/null; then
	. "$srcdir/reg-tests/tls/certs.sh"
	authority ca
	signed site ca www.example.com
	signed other ca www.example.org
fi
HAVE_LUA=$("$PENSTOCK" help lua-load 2>/dev/null | head -n 1)
export HAVE_LUA
python3 "${0%/*}/no_memory.py" "$PENSTOCK" "$(preload)" "$dir" || failures=1
finish
