#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The words of the global section about Lua do what they say: see words.py.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

printf 'listen l\n\tbind 127.0.0.1:1\n\tmode http\n\thttp-request lua.nosuch\n' >"$dir/nosuch.cfg"
check "an action that nobody has registered is told" \
	grep -q "no script above has registered" <<END
$("$PENSTOCK" -c -f "$dir/nosuch.cfg" 2>&1)
END

for number in 1 2; do
	echo "if core.thread == $number then core.register_fetches('some', print) end" >"$dir/some.lua"
	{
		printf 'global\n\tnbproc 2\n\tlua-load-per-thread %s\n' "$dir/some.lua"
		http_defaults
		printf 'frontend fe\n\tbind %s\n' "$front"
	} >"$dir/some.cfg"
	timeout 60 "$PENSTOCK" -db -f "$dir/some.cfg" >"$dir/some.log" 2>&1
	check "a name that only worker $number registers ends the start" test "$?" -eq 1
	check "and is told" grep -q "Lua function 'some' is not referenced in all thread" "$dir/some.log"
done

mkdir "$dir/lib"
echo 'return { word = "from the module" }' >"$dir/lib/amodule.lua"
cat >"$dir/thread.lua" <<'END'
Mine = (Mine or 0) + 1
core.register_action("thread", { "http-req" }, function(txn)
	txn:set_var("txn.said", core.thread .. " " .. Mine .. " " .. tostring(Everybodys))
end)
END
cp "${0%/*}/words.lua" "$dir/words.lua"
{
	cat <<-END
		nbproc 2
		log stderr format raw local0
		tune.lua.maxmem 20
		tune.lua.session-timeout 200ms
		tune.lua.service-timeout 100ms
		tune.lua.task-timeout 150ms
		tune.lua.burst-timeout 80ms
		tune.lua.forced-yield 500
		tune.lua.bool-sample-conversion normal
		lua-prepend-path $dir/lib/?.lua
		lua-load $dir/words.lua one "two words"
		lua-load-per-thread $dir/thread.lua
	END
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		log global
		http-request use-service lua.forever if { path /service }
		http-request lua.memory if { path /memory }
		http-request lua.session if { path /session }
		http-request lua.burst if { path /burst }
		http-request lua.bool if { path /bool }
		http-request lua.arguments if { path /arguments }
		http-request lua.module if { path /module }
		http-request lua.turns if { path /turns }
		http-request lua.thread if { path /thread }
		http-request return status 200 content-type text/plain lf-string "%[var(txn.said)]"
	END
} | config
start_workers
driver "${0%/*}/words.py" --log "$log" || failures=$((failures + 1))
finish
