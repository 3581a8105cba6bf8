#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A socket that another program has in a map of its own is left to it, and counted.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel_causes.py" --test refused || failures=$((failures + 1))
finish
