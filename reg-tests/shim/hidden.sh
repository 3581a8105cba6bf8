#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# 0 or EAGAIN from splice although data are there: recv is asked, and the transfer goes on by
# copying. One EAGAIN proves nothing, the data may have come since: when the next pull finds them,
# splicing goes on.
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
	case $rule in
	pull=EAGAIN@5%7) exactly SpliceFallbackHidden 0 ;;
	*) at_least SpliceFallbackHidden 1 ;;
	esac
	stop_penstock
done
finish
