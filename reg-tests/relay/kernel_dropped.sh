#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process that has given up its rights and its user relays by the kernel all the same.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
chmod 777 "$dir"
{
	printf '\tuser nobody\n\tgroup %s\n' "$(id -gn nobody)"
	kernel_proxy
} | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel_causes.py" --test without_rights || failures=$((failures + 1))
finish
