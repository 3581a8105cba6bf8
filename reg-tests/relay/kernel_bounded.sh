#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With the kernel relay a receiver that does not read stops the sender, and nothing is lost.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test bounded || failures=$((failures + 1))
finish
