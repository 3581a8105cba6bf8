#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No memory for a while: connections that need some end, the process goes on, and when there is
# memory again everything works. (With a sanitizer, whose malloc cannot be replaced, this is only
# about the connections.)
. "${0%/*}/../lib.sh"

shim_while=$dir/now
for rule in memory=ENOMEM memory=ENOMEM%2; do
	say "## $rule"
	SHIM=$rule
	tcp_proxy "$splice" | config
	start_penstock
	relaytest -n 4 -z 100k transfer
	touch "$shim_while"
	timeout 2 "$tool" -f "$front" -b "$back" -n 250 hold >"$dir/hold"
	relaytest -n 300 cpu
	rm "$shim_while"
	sanitized || acted "$rule"
	relaytest -n 100 -z 200k transfer
	relaytest -n 50 fin
	stop_penstock
done
finish
