#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where splice is refused, at once or in mid-transfer, the same transfer goes on by copying.
. "${0%/*}/../lib.sh"
for rule in pull=EINVAL pull=ENOSYS pull=EINVAL@40 pull=ENOSYS@40 push=EINVAL push=EINVAL@40; do
	say "## $rule"
	SHIM="$rule"
	tcp_proxy "$splice" | config
	start_penstock
	relaytest -n 8 -z 4m transfer
	relaytest -n 50 fin
	acted "$rule"
	at_least SpliceFallbackRefused 1
	exactly PipesUsed 0
	stop_penstock
done
finish
