#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Words that speak of threads and pollers do what processes leave of them, and say what happens
# instead.
. "${0%/*}/../lib.sh"

# says GLOBAL-LINES TEXT: -c prints it once, and accepts the file.
says() {
	printf 'global\n%b\n' "$1" >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	case $? in 0 | 2) ;; *) cat "$log"; fail "$1: refused"; return ;; esac
	if [ "$(grep -cF -- "$2" "$log")" -eq 1 ]; then pass "$1: $2"; else cat "$log"; fail "$1"; fi
}

# silent GLOBAL-LINES: nothing is said, since it is just so.
silent() {
	printf 'global\n%b\n' "$1" >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	if grep -qE ': (error|warning|notice): ' "$log"; then cat "$log"; fail "$1"; else pass "$1: silent"; fi
}

# refused GLOBAL-LINES TEXT
refused() {
	printf 'global\n%b\n' "$1" >"$dir/cfg"
	"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
	if [ $? -eq 1 ] && grep -qF -- "$2" "$log"; then pass "$1: $2"; else cat "$log"; fail "$1"; fi
}

says ' noepoll' "notice: 'noepoll': epoll is the only poller there is; it stays in use"
says ' nokqueue' "notice: 'nokqueue': epoll is the only poller there is: nothing to turn off"
says ' noevports' "notice: 'noevports': epoll is the only poller there is: nothing to turn off"
says ' nopoll' "notice: 'nopoll': epoll is the only poller there is: nothing to turn off"
says ' nbproc 2\n tune.idle-pool.shared on' "notice: 'tune.idle-pool.shared': workers are processes"
says ' tune.idle-pool.shared on\n nbthread 2' "notice: 'tune.idle-pool.shared': workers are processes"
silent ' tune.idle-pool.shared on'
silent ' tune.idle-pool.shared off\n nbproc 2'
silent ' nbproc 2\n tune.idle-pool.shared on\n tune.idle-pool.shared off'
refused ' tune.idle-pool.shared maybe' "'maybe'"
refused ' tune.idle-pool.shared' "'on' or 'off'"
says ' tune.sched.low-latency on' "notice: 'tune.sched.low-latency': tasks have one class here"
silent ' tune.sched.low-latency off'
refused ' tune.fd.edge-triggered on' "'tune.fd.edge-triggered' is experimental"
silent ' expose-experimental-directives\n tune.fd.edge-triggered on'
says ' expose-experimental-directives\n tune.fd.edge-triggered off' \
	"notice: 'tune.fd.edge-triggered': connections are always polled edge-triggered"
silent ' thread-groups 1'
says ' thread-groups 2' "notice: 'thread-groups': workers are processes with one thread each: all are of one group"
says ' thread-group 1 1-2 3\n nbproc 1' "notice: 'thread-group': workers are processes with one thread each"
says ' thread-groups 2\n nbthread 4\n thread-group 1 1-2\n thread-group 2 3-4' "notice: 'thread-group': workers"
refused ' thread-groups 2\n nbthread 4\n thread-group 1 1-2\n thread-group 2 3' "'thread-group': 1 of 4 threads are in no group"
refused ' nbthread 4\n thread-group 1 1-2' "'thread-group': 2 of 4 threads are in no group"
says ' nbproc 1\n thread-group 1 9\n thread-group 1 1-4' "notice: 'thread-group'"
refused ' thread-groups 17' 'number of groups'
refused ' thread-groups 0' 'number of groups'
refused ' thread-group 17 1' 'number of the group'
refused ' thread-group 1 4-2' "'4-2' is no thread nor a range"
refused ' tune.listener.multi-queue fair' "'fair'"
silent ' tune.listener.multi-queue off\n nbproc 2'
silent ' no numa-cpu-mapping'
silent ' busy-polling\n no busy-polling\n tune.runqueue-depth 40\n tune.spin-us 50'
refused ' tune.spin-us 10001' '10001'
refused ' tune.runqueue-depth -1' '-1'
silent ' tune.colocated on\n tune.kernel-relay.after 9'
refused ' tune.colocated maybe' "'maybe'"
silent ' tune.pattern.cache-size 0'
refused ' tune.pattern.cache-size -1' '-1'
finish
