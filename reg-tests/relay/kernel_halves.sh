#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay ends, and broken connections, are passed on behind the last byte.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test halves || failures=$((failures + 1))
finish
