#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# With option kernel-relay auto small exchanges are tried, and stay where that pays.
. "${0%/*}/../lib.sh"

kernel_proxy | sed 's/option kernel-relay/& auto/' | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test auto || failures=$((failures + 1))
finish
