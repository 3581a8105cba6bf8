#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where the server speaks first a check does not wait for the kernel's delayed acknowledgement.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
check "servers that speak first answer within 150 ms" \
	python3 "$srcdir/reg-tests/check/first_word.py" "$PENSTOCK" "$dir"
finish
