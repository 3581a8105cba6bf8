#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SIGUSR1: no new connections, the present ones go on to their end, then the process leaves with 0.
. "${0%/*}/../lib.sh"

tcp_proxy | config
start_penstock
python3 "${0%.sh}.py" "$front" "$back" "$pid" || failures=1
wait "$pid"
status=$?
pid=
check "it leaves with 0 (was $status)" test "$status" -eq 0
check "it said what it waits for" grep -q "sessions to finish" "$log"
# ---- a reload that is under way is given up --------------------------------------------------
start_penstock -W
python3 "${0%.sh}_reload.py" "$front" "$pid" "$back" "$log" || failures=1
wait "$pid"
status=$?
pid=
check "it ends after HUP and USR1 (was $status)" test "$status" -eq 0
check "it began a reload" grep -q "the files are read" "$log"
check "and did not carry it out" sh -c '! grep -q "executing the program anew" "$1"' sh "$log"
finish
