#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No descriptor or no port for the connection to the server: that connection ends, others go on.
. "${0%/*}/../lib.sh"

for rule in socket=EMFILE@6-20 connect=EADDRNOTAVAIL@1-15 connect=EACCES@1-15; do
	say "## $rule"
	SHIM="$rule"
	tcp_proxy "retries 0" | config
	start_penstock
	relaytest_alone -n 30 refused
	acted "$rule"
	relaytest -n 300 cpu
	relaytest -n 8 -z 100k transfer
	stop_penstock
done
finish
