#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay time-outs count what the kernel has passed on.
. "${0%/*}/../lib.sh"

for side in client server; do
	say "## timeout $side"
	eval "${side}_timeout=1500ms"
	kernel_proxy | config
	unset "${side}_timeout"
	start_penstock
	kernel_or_skip
	driver "$srcdir/reg-tests/relay/kernel.py" --test "quiet_$side" || failures=$((failures + 1))
	stop_penstock
done
client_timeout=3s server_timeout=3s
kernel_proxy | config
start_penstock
driver "$srcdir/reg-tests/relay/kernel.py" --test quiet_gone || failures=$((failures + 1))
finish
