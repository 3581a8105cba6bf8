#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Once it serves, the process may not make others, unless it is told to.
. "${0%/*}/../lib.sh"

# allowed: soft and hard limit of processes of the one that runs, and of this shell.
allowed() { sed -n 's/^Max processes  *\([^ ]*\)  *\([^ ]*\) .*/\1 \2/p' "/proc/$pid/limits"; }
ours() { pid=$$ allowed; }

tcp_proxy | config
if sanitized; then # their leak checker makes a thread
	start_penstock
	check "as many as we may with sanitizers" test "$(allowed)" = "$(ours)"
	finish
fi
start_penstock
check "none" test "$(allowed)" = "0 0"
stop_penstock
start_penstock -dI
check "as many as we may with -dI" test "$(allowed)" = "$(ours)"
stop_penstock
{ printf '\tinsecure-fork-wanted\n'; tcp_proxy; } | config
start_penstock
check "as many as we may with insecure-fork-wanted" test "$(allowed)" = "$(ours)"
finish
