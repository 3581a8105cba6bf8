#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What streams and conversations have taken of the pools is given back: "show pools" has as much of
# each in use behind them as before.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock

# "stream 1", ...: what the question itself has is among it.
used() {
	ask "show pools" | sed -n 's/^  - Pool \(.*\) ([0-9]* bytes) : .* \([0-9]*\) used,.*/\1 \2/p'
}
work() {
	relaytest transfer >>"$dir/transfers" || fail "relaytest transfer"
	ask "show info" >/dev/null
	ask "show sess all" >/dev/null
	ask "no such command" >/dev/null
}
given_back() { used >"$dir/after" && cmp -s "$dir/before" "$dir/after"; }

# What is kept for later is there behind the first work.
work
until_true 60 sh -c "'$tool' -s '$stats' ask 'show pools' | grep -q 'Pool stream .* 1 used'"
used >"$dir/before"
check "one conversation is in use" grep -qx "cli 1" "$dir/before"
check "and its stream" grep -qx "stream 1" "$dir/before"
check "and its connection" grep -qx "conn 1" "$dir/before"
for i in 1 2 3 4; do work; done
check "all is given back" until_true 60 given_back
diff "$dir/before" "$dir/after"
finish
