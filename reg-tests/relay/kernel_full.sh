#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# More streams than the kernel relay has places for go by pipes and copies, and are counted.
. "${0%/*}/../lib.sh"

{
	printf '\tmaxconn 4\n'
	kernel_proxy
} | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel_causes.py" --test no_place || failures=$((failures + 1))
finish
