#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Whoever collects stdout and stderr together, as containers do, gets each sentence of the process
# once, though a log goes to one of them: in the foreground and with workers. With -D the log gives
# them back to the caller, who is told.
. "${0%/*}/../lib.sh"

# once SENTENCE TEXT: it stands in the output exactly once, in whatever form.
once() {
	count=$(sed "s/'//g" "$log" | grep -c "$2")
	check "$1: '$2' is there $count times" test "$count" = 1
}
says() { grep -q "$1" "$log"; }

for place in stdout stderr; do
	for way in "" "-W"; do
		{
			printf '\tlog %s format raw local0\n' "$place"
			http_defaults
			printf '\tlog global\nfrontend fe\n\tbind %s\n\tdefault_backend be\nbackend be\n' "$front"
			printf '\toption log-health-checks\n\tserver s1 %s check inter 100ms fall 1\n' "$back"
		} | config
		start_penstock $way
		what="$place ${way:-alone}"
		check "$what: the server is found down" until_true 60 says "has no server available"
		once "$what" "Server be/s1 is DOWN"
		once "$what" "backend be has no server available"
		once "$what" "Health check for server be/s1 failed"
		# The last lines are written by then.
		stop_penstock
		once "$what" "^Ending on signal TERM"
		if [ -n "$way" ]; then
			once "$what" "Loading success"
			once "$what" "New worker 1"
			once "$what" "Worker 1: Ending on signal TERM"
			once "$what" "All workers have ended"
		fi
		check "$what: nothing says it on stderr again" sh -c "! grep '^\[.*) : ' '$log'"
	done
done

# A log elsewhere: stderr has the sentences, too.
sed "s/log stderr/log $back/" "$dir/cfg" >"$dir/other" && mv "$dir/other" "$dir/cfg"
start_penstock -W
check "elsewhere: stderr has it" until_true 60 says "\] *([0-9]*) : backend 'be' has no server"
stop_penstock

for place in stdout stderr; do
	for way in "" "-W"; do
		[ "$place$way" = stderr ] && continue
		{
			printf '\tnbproc 2\n\tlog %s format raw local0\n' "$place"
			tcp_proxy "log global"
		} | config
		# The end of the output is what the caller waits for.
		timeout 60 "$PENSTOCK" -D $way -p "$dir/pid" -f "$dir/cfg" 2>&1 </dev/null | cat >"$log"
		pid=$(cat "$dir/pid")
		check "-D $way, $place: the caller goes on, and it serves" test -n "$(info Pid)"
		check "he was told" grep -q "log $place: in the background" "$log"
		for process in "$pid" $(cat "/proc/$pid/task/$pid/children"); do
			check "$process has left 0, 1 and 2" test \
				"$(readlink "/proc/$process/fd/0" "/proc/$process/fd/1" "/proc/$process/fd/2" | sort -u)" = /dev/null
		done
		kill "$pid"
		check "it ends" until_true 60 sh -c "! kill -0 $pid"
		pid=
	done
done
finish
