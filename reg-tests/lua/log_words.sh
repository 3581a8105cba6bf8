#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tune.lua.log.loggers and tune.lua.log.stderr: where the lines of scripts go, as in 2.8. What is
# told of a script that fails goes everywhere.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/said.lua" <<'END'
core.register_task(function()
	core.Info("a line")
	core.Debug("a debug line")
	error("it fails")
end)
END

# goes "WORDS" "LOG LINE" LOG STDERR: is a line in the log, on the standard error? (yes, no)
goes() {
	printf 'global\n\t%b\n\t%b\n\tlua-load %s/said.lua\nlisten l\n\tbind unix@%s/l\n' "$2" "$1" "$dir" "$dir" >"$dir/cfg"
	rm -f "$dir/out" "$dir/err" # of the case before
	"$PENSTOCK" -db -f "$dir/cfg" >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
	until_true 60 grep -q "Lua task: .*it fails" "$dir/out" "$dir/err"
	kill "$pid"
	wait "$pid" 2>/dev/null
	pid=
	had=no errs=no
	grep -q "^a line" "$dir/out" && had=yes
	grep -q "\[info\].*a line" "$dir/err" && errs=yes
	check "$1, $2: log $3, stderr $4" test "$had $errs" = "$3 $4"
	check "$1, $2: debug" test "$(grep -c "a debug line" "$dir/out") $(grep -c "a debug line" "$dir/err")" = "$([ "$3" = yes ] && echo 1 || echo 0) 0"
	[ "$2" ] && check "$1: failures are told" grep -q "Lua task: .*it fails" "$dir/out"
}
log="log stdout format raw local0"
goes "" "$log" yes yes
goes "" "" no yes
goes "tune.lua.log.loggers off" "$log" no yes
goes "tune.lua.log.stderr off" "$log" yes no
goes "tune.lua.log.stderr off" "" no no
goes "tune.lua.log.stderr auto" "$log" yes no
goes "tune.lua.log.stderr auto" "" no yes
goes "tune.lua.log.stderr auto\n\ttune.lua.log.loggers off" "$log" no yes
[ "$failures" -eq 0 ]
