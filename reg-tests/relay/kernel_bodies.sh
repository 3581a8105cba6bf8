#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay the bodies of mode http stay with pipes, and show info says so.
. "${0%/*}/../lib.sh"

kernel_proxy | sed 's/mode tcp/mode http/' | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test bodies || failures=$((failures + 1))
finish
