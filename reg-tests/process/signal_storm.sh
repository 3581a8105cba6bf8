#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hundreds of signals in the middle of transfers disturb none of them.
. "${0%/*}/../lib.sh"

tcp_proxy "$splice" | config
start_penstock
storm() {
	n=0
	while [ $n -lt 300 ]; do
		kill -HUP "$pid" 2>/dev/null || break
		kill -TTIN "$pid" 2>/dev/null
		n=$((n + 1))
	done
}
storm &
children="$children $!"
relaytest transfer
check "it still answers" test -n "$(info Uptime)"
finish
