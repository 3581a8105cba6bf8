#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers of before a reload: an idle connection gets one last answer, with "Connection: close", or
# ends at its keep-alive timeout; mworker-max-reloads ends them; SIGINT to the parent makes it end
# with 130.
. "${0%/*}/../lib.sh"

other=127.0.0.1:$(ports 1)
{
	printf '\tmworker-max-reloads 2\n'
	http_proxy
	printf 'frontend short\n\tbind %s\n\ttimeout http-keep-alive 1s\n\tdefault_backend be\n' "$other"
} | config
start_workers
driver "${0%.sh}.py" --other "$other" || failures=1
until_true 60 info Pid
worker=$(info Pid)
kill -INT "$pid"
wait "$pid"
status=$?
pid=
check "SIGINT: the parent ends with 130: $status" test "$status" -eq 130
check "after its worker" sh -c "! kill -0 $worker 2>/dev/null"
rm -f "$stats"

if command -v taskset >/dev/null; then
	say "## nbproc auto"
	{ printf '\tnbproc auto\n'; tcp_proxy; } | config
	first_cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
	start_penstock
	all=$(info Nbproc)
	check "as many as there are processors: $all" test "$all" -eq "$(nproc)"
	stop_penstock
	run_as="taskset -c $first_cpu" start_penstock
	check "that may be used: one" test "$(info Nbproc)" -eq 1
fi
finish
