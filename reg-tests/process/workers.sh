#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers serve behind one address; one that is killed, hangs or dies is replaced, and the others do
# not notice. Their parent's id is in the pid file, signals to it reach them all.
. "${0%/*}/../lib.sh"

master=$dir/master.sock
parent_ask() { "$tool" -s "$master" ask "$1"; }
worker_pids() { parent_ask "show proc" | awk '$2 == "worker" { print $1 }'; }
count_is() { [ "$(worker_pids | wc -l)" -eq "$1" ]; }
logged() { grep -q "$1" "$log"; }
ended() { ! [ -e "/proc/$1/stat" ] || grep -q ") Z " "/proc/$1/stat"; }
first_cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)

config <<END
	nbproc 4
	master-worker no-exit-on-failure
	mworker-max-reloads 50
	pidfile $dir/pid
	cpu-map all $first_cpu
defaults
	mode http
	timeout client 2m
frontend fe
	bind $front
	http-request return status 200 content-type text/plain lf-string "%[proc]/%[nbproc] "
END
start_penstock -S "$master,level,admin"
check "four workers" until_true 60 count_is 4
pid_is_ours() { [ "$(cat "$dir/pid")" = "$pid" ]; } # written when all serve
check "the pid file holds the parent's id" until_true 60 pid_is_ours
victim=$(worker_pids | head -n 1)
check "cpu-map is followed" grep -qE "^Cpus_allowed_list:[^0-9]*$first_cpu\$" "/proc/$victim/status"

# ---- one is killed; connections of the others go on ------------------------------------------
python3 "${0%.sh}_killed.py" "$front" "$victim" || failures=1
check "who died, and how, is logged" until_true 60 logged "Worker 1 ($victim) was killed by signal 9"
replaced() { count_is 4 && ! worker_pids | grep -qx "$victim"; }
check "it is replaced" until_true 60 replaced

# ---- one that keeps dying waits --------------------------------------------------------------
# Another worker, each time as soon as there is one in its place: the first times it comes at once.
victim=$(worker_pids | tail -n 1)
python3 "${0%.sh}_dying.py" "$pid" "$victim" "$log" || fail "deaths in a row"
check "one that keeps dying is replaced later" logged "is replaced in 1 seconds"
check "but it is" until_true 60 count_is 4

# ---- one that hangs, one that fails ----------------------------------------------------------
ask "expert-mode on; debug dev loop 600000" >/dev/null 2>&1 &
children="$children $!"
check "one that hangs is found" until_true 120 logged "hangs: no turn of its loop"
check "it says where it was" until_true 60 logged "Worker . ([0-9]*): penstock: process [0-9]* dies of SIGABRT"
check "and ends" until_true 60 logged "was killed by signal 6"
ask "expert-mode on; debug dev exit 7" >/dev/null 2>&1
check "an exit code is logged" until_true 60 logged "ended with exit code 7"
check "four workers again" until_true 120 count_is 4

# ---- signals ---------------------------------------------------------------------------------
connects() { python3 -c 'import socket, sys
host, port = sys.argv[1].rsplit(":", 1)
socket.create_connection((host, int(port)), timeout=60).close()' "$front" 2>/dev/null; }
refused() { ! connects; }
kill -TTOU "$pid"
check "TTOU: none listens" until_true 60 refused
kill -TTIN "$pid"
check "TTIN: they listen again" until_true 60 connects
workers=$(worker_pids)
kill -USR1 "$pid"
wait "$pid"
check "USR1: the parent ends with 0" test $? -eq 0
pid=
all_gone() { for w in $workers; do ended "$w" || return 1; done; }
check "and with it all workers" all_gone

# ---- the parent is killed --------------------------------------------------------------------
start_penstock -S "$master,level,admin"
until_true 60 count_is 4
workers=$(worker_pids)
kill -KILL "$pid"
wait "$pid" 2>/dev/null
pid=
check "workers whose parent was killed finish" until_true 60 all_gone
check "and say why" logged "The parent process has gone"
finish
