#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay streams of workers that are reloaded go on to their end.
. "${0%/*}/../lib.sh"

{
	printf '\tnbproc 2\n'
	kernel_proxy
} | config
start_workers
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test drain || failures=$((failures + 1))
finish
