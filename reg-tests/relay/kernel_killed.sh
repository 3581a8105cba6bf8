#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A stream of the kernel relay can be ended from the stats socket.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test killed || failures=$((failures + 1))
finish
