#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay time-outs count what the kernel has passed on.
. "${0%/*}/../lib.sh"

client_timeout=1500ms
kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test quiet || failures=$((failures + 1))
finish
