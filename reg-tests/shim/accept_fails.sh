#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Out of descriptors in accept: the loop does not spin, and accepting goes on by itself.
. "${0%/*}/../lib.sh"

for rule in accept4=EMFILE@2-6 accept4=ENFILE@2-6 accept4=ENOMEM@2-6 accept4=ECONNABORTED@2-6; do
	say "## $rule"
	SHIM="$rule"
	tcp_proxy | config
	start_penstock
	relaytest -n 8 -z 100k transfer
	acted "$rule"
	relaytest -n 300 cpu
	stop_penstock
done
finish
