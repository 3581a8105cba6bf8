#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 0 or EAGAIN from splice although data are there: recv is asked, and the transfer goes on by copying.
. "${0%/*}/../lib.sh"
for rule in pull=zero pull=EAGAIN pull=zero@30 pull=EAGAIN@30 pull=zero@5%7 pull=EAGAIN@5%7; do
	say "## $rule"
	SHIM="$rule"
	tcp_proxy "$splice" | config
	start_penstock
	relaytest -n 8 -z 4m transfer
	relaytest -n 50 fin
	relaytest slow-reader
	relaytest -n 300 cpu
	acted "$rule"
	at_least SpliceFallbackHidden 1
	stop_penstock
done
finish
