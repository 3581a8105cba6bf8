#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A stream of the kernel relay that turns to bulk goes back to a pipe, and loses nothing.
. "${0%/*}/../lib.sh"

kernel_proxy | config
start_penstock
kernel_or_skip
driver "$srcdir/reg-tests/relay/kernel.py" --test bulk || failures=$((failures + 1))
finish
