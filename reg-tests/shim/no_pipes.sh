#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No pipe to be had, or only small ones: the transfer is copied, or goes through what there is.
. "${0%/*}/../lib.sh"
for rule in pipe2=EMFILE@2 pipe2=ENFILE@2 pipe2=ENFILE@4 setpipe=EPERM; do
	say "## $rule"
	SHIM="$rule"
	tcp_proxy "$splice" | config
	start_penstock
	relaytest -n 30 -z 2m transfer
	relaytest -n 50 fin
	acted "$rule"
	exactly PipesUsed 0
	stop_penstock
done
finish
