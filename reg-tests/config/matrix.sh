#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The last table of doc/configuration.md, which words of proxies stand in which sections, is what
# `penstock -dKmatrix' prints, and each word stands in it once.
. "${0%/*}/../lib.sh"

manual=$srcdir/doc/configuration.md
"$PENSTOCK" -q -dKmatrix -c -f /dev/null >"$dir/printed" 2>/dev/null
sed -n '/^<!-- penstock -dKmatrix -->$/,/^<!-- end -->$/p' "$manual" | sed '1d;$d' >"$dir/written"
check "the table is that of the program (penstock -q -dKmatrix -c -f /dev/null)" \
	diff "$dir/written" "$dir/printed"
check "each word once" test -z "$(cut -d'|' -f2 "$dir/printed" | sort | uniq -d)"
check "many words" test "$(wc -l <"$dir/printed")" -gt 150
finish
