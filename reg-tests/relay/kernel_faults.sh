#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A stream of the kernel relay whose bytes do not add up is reset on both sides, and counted.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel_causes.py" --test faults || failures=$((failures + 1))
finish
