#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay tunnels of mode http (Upgrade, CONNECT) go by the kernel, too.
. "${0%/*}/../lib.sh"

client_timeout=1s
kernel_proxy | sed -e 's/mode tcp/mode http/' \
	-e 's/timeout client.*/&\n	timeout tunnel 2s/' | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test tunnels || failures=$((failures + 1))
finish
