#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock help knows the commands of the parent's socket: each that its own help lists, and what
# stands behind an address (@1 show info).
. "${0%/*}/../lib.sh"

known() { "$PENSTOCK" help "$@" >"$dir/out" 2>&1; }
out() { grep -qF -e "$1" "$dir/out"; }
check "show proc" known show proc
check "on the parent's socket" out "commands of the parent's socket (-S)"
check "and on no other" sh -c '! grep -q "commands of the stats socket" "$1"' sh "$dir/out"
check "reload" known reload
check "with its level" out "(operator)"
check "show startup-logs" known show startup-logs
check "an address" known @1
check "is explained" out "send a command to the <relative pid> process"
check "one by process id" known '@!4711'
check "the parent's" known @master
check "a command behind an address" known @1 show info
check "is explained, too" out "report information about the running process"
check "the first words of commands: both sockets" known show
check "of the one" out "show info"
check "and the other" out "show proc"
check "what none of them is" sh -c '! "$1" help shwo proc >/dev/null 2>&1' sh "$PENSTOCK"

# Each command that the parent's socket itself lists.
http_defaults | config
start_workers
"$tool" -s "$parent" ask "help" >"$dir/list"
check "the parent's socket has a list" grep -q "show proc" "$dir/list"
sed -n 's/^  \([^:]*[^ :]\) *: .*/\1/p' "$dir/list" | sed 's/ [<[].*//' >"$dir/commands"
while read -r words; do
	# shellcheck disable=SC2086 # words, one by one
	known $words || fail "help $words"
done <"$dir/commands"
check "all of it is known: $(wc -l <"$dir/commands") commands" test "$(wc -l <"$dir/commands")" -ge 12
finish
