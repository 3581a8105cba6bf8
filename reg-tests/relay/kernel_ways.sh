#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay a stream may change its way again and again, in both directions.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test ways || failures=$((failures + 1))
finish
