#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Asked the same, HAProxy 2.6 and Penstock say the same: rows of CSV and JSON, metrics, codes of
# changes. Where haproxy is not installed there is nothing to compare with.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || exit 77
haproxy -v 2>/dev/null | grep -q 'version 2\.6\.' || exit 77
python3 "$srcdir/reg-tests/stats/compare.py" \
	"$PENSTOCK" haproxy "$dir" || fail "there are differences"
finish
