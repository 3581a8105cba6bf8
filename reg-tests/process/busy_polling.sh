#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# busy-polling: the process never sleeps, until it finishes: then it leaves the processor to others.
. "${0%/*}/../lib.sh"

turns() { ask 'show activity' | sed -n 's/^loops: *//p'; }
many_turns() { [ "$(($(turns) - before))" -gt 10000 ]; }
is() { grep -q ") $1 " "/proc/$pid/stat"; }

tcp_proxy | config
sed -i 's/^global/global\n\tbusy-polling/' "$dir/cfg"
start_penstock
exactly BusyPolling 1
before=$(turns)
check 'it turns with nothing to do' until_true 20 many_turns
check 'and does not sleep' until_true 20 is R
python3 "${0%.sh}.py" "$front" "$back" "$pid" || failures=1
wait "$pid"
status=$?
pid=
check "it leaves with 0 (was $status)" test "$status" -eq 0
finish
