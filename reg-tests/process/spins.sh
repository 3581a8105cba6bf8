#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker polls on for a moment before it sleeps, as the file says; that time is idle time.
. "${0%/*}/../lib.sh"

number() { ask "show $2" | sed -n "s/^$1: *//p"; }
spins() { number poll_spins activity; }

# begin TUNE: a process with that line in the global section.
begin() {
	[ -z "$pid" ] || stop_penstock
	tcp_proxy | config
	sed -i "s/^global/global\n\t$1/" "$dir/cfg"
	start_penstock
	for _ in 1 2 3; do ask 'show info' >/dev/null; done
}

is_asked_for_a_second() {
	ask 'show info' >/dev/null
	[ "$(date +%s%N)" -gt "$end" ]
}

parent_sleeps() { grep -q ') S ' "/proc/$pid/stat"; }
worker_runs() { grep -q ') R ' "/proc/$(pgrep -P "$pid")/stat"; }

begin ''
check "without a word it spins ($(spins))" test "$(spins)" -gt 0
begin 'tune.spin-us 0'
check "with 0 it does not ($(spins))" test "$(spins)" -eq 0
begin 'tune.spin-us 10000'
before=$(number poll_spun_us activity)
number Idle_pct info >/dev/null
end=$(($(date +%s%N) + 1100000000))
until_true 20 is_asked_for_a_second
spun=$(($(number poll_spun_us activity) - before))
idle=$(number Idle_pct info)
check "it spins ($spun us)" test "$spun" -gt 1000
check "which is idle time ($idle %)" test "$idle" -gt 60
stop_penstock
tcp_proxy | config
sed -i 's/^global/global\n\tbusy-polling/' "$dir/cfg"
start_workers
check 'a worker that polls busily does not sleep' until_true 20 worker_runs
check 'its parent does' until_true 20 parent_sleeps
finish
