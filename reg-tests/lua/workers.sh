#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Scripts in several workers, and in one: the globals, libraries and modules of files that each
# worker loads are its own; tasks and init functions of files for all run once, and go on in another
# worker when theirs is killed; a reload begins anew; variables of the process are common.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

mkdir "$dir/lib"
echo 'return { word = "found" }' >"$dir/lib/a_module.lua"
for workers in 1 4; do
	say "## nbproc $workers"
	{
		printf '\tnbproc %s\n\ttune.lua.maxmem 20\n' "$workers"
		printf '\tlua-load %s\n' "$srcdir/reg-tests/lua/workers_all.lua"
		printf '\tlua-load-per-thread %s\n' "$srcdir/reg-tests/lua/workers_own.lua"
		printf '\tlua-prepend-path %s\n' "$dir/lib/?.lua"
		http_defaults
		printf 'frontend fe\n\tbind %s\n' "$front"
		for name in all own own_before own_module own_waits set unset own_memory all_fails own_fails; do
			printf '\thttp-request lua.%s if { path /%s }\n' "$name" "$name"
		done
		printf '\thttp-request wait-for-body time 1m if { path /slow }\n'
		printf '\thttp-request return status 200 content-type text/plain lf-string "%s"\n' \
			'%[proc]|%[var(req.said)]|%[var(proc.by_script)]|%[str(c),lua.of_all]'
		printf 'backend be\n\tserver s1 %s\n' "$back"
	} | config
	start_workers
	driver "$srcdir/reg-tests/lua/workers.py" --workers "$workers" || fail "$workers workers"
	kill -USR1 "$pid"
	check "a soft stop ends the tasks" until_true 60 grep -q "All workers have ended" "$log"
	wait "$pid"
	check "without an error" test "$?" -eq 0
	check "and with nothing to report" sh -c \
		"! grep -qE 'AddressSanitizer|LeakSanitizer|:[0-9]+: runtime error:' '$log'"
	pid=
done
finish
