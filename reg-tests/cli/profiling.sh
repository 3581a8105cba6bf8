#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# profiling.tasks: functions and streams are measured while it is on, in all workers; cpu_calls
# counts always.
. "${0%/*}/../lib.sh"

# service LINES-OF-GLOBAL: each answer says what its stream has cost so far.
service() {
	{
		printf '%b\n' "$1"
		http_defaults
		printf 'frontend f\n\tbind %s\n\tdefault_backend b\n' "$front"
		printf '\thttp-request set-header x-cost %%[cpu_calls]/%%[cpu_ns_tot]/%%[cpu_ns_avg]/%%[lat_ns_tot]/%%[lat_ns_avg]\n'
		printf '\thttp-response set-header x-after %%[cpu_calls]/%%[cpu_ns_tot]/%%[cpu_ns_avg]\n'
		printf 'backend b\n\tserver s %s\n' "$back"
		printf 'listen origin\n\tbind %s\n\thttp-request return status 200 content-type text/plain lf-string "%%[req.hdr(x-cost)]"\n' "$back"
	} | config
}

get() { curl -sS -i --max-time 60 "http://$front/" | tr -d '\r'; }
cost() { printf '%s\n' "$1" | tail -n 1; }
after() { printf '%s\n' "$1" | sed -n 's/^x-after: //p'; }
row() { ask 'show profiling tasks' | grep -q "^  $1 .*[1-9]"; }

service '\tprofiling.tasks off'
start_penstock
said=$(get)
check "off: calls are counted, times are 0: $(cost "$said")" test "$(cost "$said")" = 1/0/0/0/0
case $(after "$said") in 1/0/0 | 0/*) fail "$(after "$said")" ;; *) pass "the response comes in another call: $(after "$said")" ;; esac
check 'nothing is measured' test "$(ask 'show profiling tasks' | grep -c '^  [a-z]')" -eq 1
check 'turning it on says nothing' test -z "$(ask 'set profiling tasks on')"
check 'its state is shown' sh -c 'printf "%s\n" "$1" | grep -q "profiling  *: on  *# set profiling tasks {on|auto|off}"' sh "$(ask 'show profiling status')"
said=$(get)
check "on: there are times: $(cost "$said"), then $(after "$said")" sh -c '
	IFS=/; set -- $1 $2
	[ "$1" -eq 1 ] && [ "$2" -gt 0 ] && [ "$3" -gt 0 ] && [ "$6" -ge 2 ] &&
	[ "$7" -gt "$2" ] && [ "$8" -ge $(($7 / $6)) ]' sh "$(cost "$said")" "$(after "$said")"
# Means are the totals divided, and none is above its total: one clock reading for all that ask.
means() { sh -c 'IFS=/; set -- $1 $2; [ "$3" -eq $(($2 / $1)) ] && [ "$5" -eq $(($4 / $1)) ] && [ "$8" -eq $(($7 / $6)) ]' sh "$(cost "$1")" "$(after "$1")"; }
for round in 1 2 3 4 5; do
	check "means are totals divided: $(cost "$said"), $(after "$said")" means "$said"
	said=$(get)
done
check 'functions are shown' row conn_event
check 'and listeners' row listener_ready
check 'as few as wanted' test "$(ask 'show profiling tasks 1' | grep -c '^  [a-z_]* *[0-9]')" -eq 1
check 'on again begins anew' test -z "$(ask 'set profiling tasks on')"
check 'auto, and idle' test -z "$(ask 'set profiling tasks auto')"
check 'is off' sh -c 'printf "%s\n" "$1" | grep -q ": auto-off "' sh "$(ask 'show profiling')"
check 'no other mode' test "$(ask 'set profiling tasks maybe')" = "Expects 'on', 'auto', or 'off'."
check 'memory is not measured' test "$(ask 'set profiling memory on')" = 'Memory profiling not compiled in.'
check 'nothing else' test "$(ask 'set profiling x')" = "Expects either 'tasks' or 'memory'."
case $(ask 'show profiling x') in "Expects either 'all'"*) pass 'nor shown' ;; *) fail 'show profiling x' ;; esac
stop_penstock

service '\tnbproc 2'
start_workers
check 'one command reaches all workers' test -z "$(ask 'set profiling tasks on')"
modes() { [ "$(ask 'show profiling status' | grep -c ': on ')" -eq 3 ]; } # the parent, too
check 'each says that it measures' until_true 30 modes
stop_penstock

printf 'global\n\tprofiling.memory on\n' >"$dir/cfg"
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check 'profiling.memory on is refused, and show pools named' grep -q "error: 'profiling.memory'.*show pools" "$log"
printf 'global\n\tprofiling.memory off\n\tprofiling.tasks auto\n' >"$dir/cfg"
"$PENSTOCK" -c -f "$dir/cfg" >"$log" 2>&1
check 'profiling.memory off is so' test $? -ne 1
finish
