#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Ten streams of the kernel relay that turn to bulk at once go back to pipes, and others are served.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test many || failures=$((failures + 1))
finish
