#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the kernel passes on does not come through the process, and is counted all the same.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test exchanges || failures=$((failures + 1))
finish
