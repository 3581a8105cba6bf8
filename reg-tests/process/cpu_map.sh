#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# master-worker: a parent that serves nobody and a worker; cpu-map: a worker runs on its processors
# and nowhere else, whether a parent was asked for or nobody but itself is there.
. "${0%/*}/../lib.sh"

allowed() { sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"; }
all=$(allowed self)
first=$(printf '%s' "$all" | sed 's/[^0-9].*//')
workers() { cat "/proc/$pid/task/$pid/children"; }

say "## one process"
{ printf '\tcpu-map 1 %s\n' "$first"; tcp_proxy; } | config
start_penstock
check "it has no children" test -z "$(workers)"
check "it runs on $(allowed "$pid")" test "$(allowed "$pid")" = "$first"
relaytest -n 20 fin
stop_penstock

say "## master-worker"
{ printf '\tmaster-worker\n\tcpu-map 1/1 %s\n' "$first"; tcp_proxy; } | config
start_penstock
set -- $(workers)
check "one worker" test $# -eq 1
check "the worker runs on $(allowed "$1")" test "$(allowed "$1")" = "$first"
check "the parent runs on $(allowed "$pid")" test "$(allowed "$pid")" = "$all"
worker=$(info Pid)
check "the worker answers: $worker" test "$worker" = "$1"
stop_penstock
check "it has ended, too" test ! -e "/proc/$1"

say "## of the second worker nothing holds here"
{ printf '\tcpu-map even %s\n\tcpu-map 2-4 %s\n' "$first" "$first"; tcp_proxy; } | config
start_penstock
check "it runs on $(allowed "$pid")" test "$(allowed "$pid")" = "$all"
finish
