#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# EAGAIN because the pipe is full is told from EAGAIN because there are no data.
. "${0%/*}/../lib.sh"
for rule in pull=full:4096 pull=full:1000; do
	SHIM="$rule"
	tcp_proxy "$splice" | config
	start_penstock
	relaytest -n 8 -z 1m transfer
	relaytest drain
	acted "$rule"
	stop_penstock
done
finish
