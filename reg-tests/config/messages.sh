#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each file of messages/ has several mistakes: all are reported at once, each once, with its place.
# The .txt beside it has the numbers of errors and warnings, then how their lines begin.
. "${0%/*}/../lib.sh"

cd "$srcdir/reg-tests/config/messages" || exit 1
for file in *.cfg; do
	"$PENSTOCK" -c -f "$file" >"$log" 2>&1
	check "$file is refused" test $? -eq 1
	found="$(grep -c ': error: ' "$log") $(grep -c ': warning: ' "$log")"
	{
		read -r _
		read -r numbers
		check "$file: errors and warnings: $found" test "$found" = "$numbers"
		while read -r line; do
			grep -qF "$line" "$log" || fail "$line"
		done
	} <"${file%.cfg}.txt"
	# In the order of the lines.
	sed -n 's/^[a-z_]*\.cfg:\([0-9]*\).*/\1/p' "$log" >"$dir/lines"
	check "$file: in order" sort -nc "$dir/lines"
	[ "$failures" -eq 0 ] || cat "$log"
	# Nothing but text without a terminal.
	check "$file: no colours" test "$(tr -d '\033' <"$log" | wc -c)" -eq "$(wc -c <"$log")"
done
finish
