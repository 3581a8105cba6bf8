#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The process really runs out of descriptors: it does not spin, connections that it has go on, and
# when some are free again it accepts by itself.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
prlimit --pid "$pid" --nofile=40:20000
"$tool" -f "$front" -b "$back" -n 60 hold &
children=$!
full() { [ "$(ls "/proc/$pid/fd" | wc -l)" -ge 39 ]; }
check "it has run out of descriptors" until_true 5 full
check "it is quiet" "$tool" -p "$pid" -n 500 cpu
prlimit --pid "$pid" --nofile=20000:20000
wait "$children" || fail "not all of the connections were served in the end"
children=
relaytest -n 8 -z 100k transfer
finish
