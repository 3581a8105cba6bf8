#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hundreds of idle connections of HTTP/2 use no CPU: clients that have said nothing yet, that have
# been served, that wait for an answer or do not read one, and those to servers behind them.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2 pool-purge-delay 10m
END
start_penstock
driver "${0%/*}/idle.py" >"$dir/said" &
client=$!
children="$children $client"
check "the connections are there" until_true 120 test -e "$dir/idle"
relaytest_alone -n 1000 cpu
: >"$dir/measured"
wait "$client"
check "each goes on" test $? -eq 0
cat "$dir/said"
finish
