#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the program answers by itself, without a server or in its place, and the line in the log:
# names, times, status and termination of each way there is. The reference says the same where it is
# installed, but for the rows that own_answers.py marks (doc/differences.md). Then the numbers of
# requests that two workers log.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

table() {
	start_penstock
	driver "$srcdir/reg-tests/log/own_answers.py" "$@" || failures=1
	stop_penstock
}
driver "$srcdir/reg-tests/log/own_answers.py" --write || exit 1
: "${REFERENCE:=haproxy}"
if "$REFERENCE" -v 2>/dev/null | grep -q 'version 2\.[68]' && ! sanitized; then
	ours=$PENSTOCK
	PENSTOCK=$REFERENCE
	say "## the reference"
	table --reference
	PENSTOCK=$ours
	say "## ours"
fi
table

{
	printf '\tnbproc 2\n'
	http_defaults
	printf '\tlog unix@%s format raw local0\n\tlog-format "%%pid %%rt %%[txn.id32]"\n' "$dir/numbers"
	printf 'frontend web\n\tbind %s\n\thttp-request return status 200\n' "$front"
} | config
start_workers
driver "$srcdir/reg-tests/log/own_answers.py" --numbers || failures=1
finish
