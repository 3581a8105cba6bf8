#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nothing that a client writes ends a line of HTTP or of the log, whichever rule makes text of it,
# and however it was transformed before. See line_breaks.py. An action that is neither among its
# sinks nor said to make no text fails here.
. "${0%/*}/../lib.sh"

test=$srcdir/reg-tests/rules/line_breaks.py
for list in http-request http-response http-after-response; do
	"$PENSTOCK" help "$list" | sed -n "/^actions of $list$/{n;s/, */\n/g;p;}" | sed 's/^ *//'
done | sort -u >"$dir/actions"
python3 "$test" names >"$dir/known"
check "actions are listed" test "$(wc -l <"$dir/actions")" -gt 30
unknown=$(grep -vxFf "$dir/known" "$dir/actions")
check "each action is a sink or makes no text: ${unknown:-yes}" test -z "$unknown"

printf '%s\n' '(?s)^(.*)$ \1' >"$dir/map"
: >"$dir/learnt"
: >"$dir/acl"
python3 "$test" config "$back" "$front" "$dir" | config
start_penstock
python3 "$test" run "$back" "$front" "$log" >"$dir/said"
check "no line was broken" test $? = 0
grep -v '^SENT' "$dir/said"
stop_penstock
sent=$(sed -n 's/^SENT //p' "$dir/said")
check "each of $sent requests has left one line in the log" \
	test "$(grep -c '^LINE .* END$' "$log")" = "$sent"
check "which has no control characters" test -z "$(LC_ALL=C grep -a '^LINE' "$log" | tr -d '\t\n -~\200-\377')"
finish
