#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A change that only the new configuration can make, while its workers start: those that are still
# to be replaced go on without it.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n'; tcp_proxy; } | config
start_workers
driver "${0%.sh}.py" || failures=1
check "no worker has ended over it" test "$(grep -c 'cannot be applied' "$log")" -eq 0
finish
