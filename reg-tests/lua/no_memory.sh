#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When the n-th allocation of a request with a script fails, be it of Lua or of the program, the
# request goes on, gets an error or ends, and the next one is served. For every n, or some of many;
# EACH=1 tries each.
. "${0%/*}/../lib.sh"

"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }
head -c 8 /dev/zero >"$dir/nth"
printf 'x y\n' >"$dir/map"
tcp=127.0.0.1:$(ports 1)
export MAP="$dir/map" ORIGIN_PORT="${back##*:}"
{
	printf '\texpose-experimental-directives\n\tlua-load %s\n' "$srcdir/reg-tests/lua/no_memory.lua"
	http_defaults
	printf '\toption httpclose\n'
	printf 'frontend fe\n\tbind %s\n' "$front"
	for name in empty heads tables sleep look socket client reply compile map dead fails fails_text task; do
		printf '\thttp-request lua.%s if { path /%s }\n' "$name" "$name"
	done
	cat <<-END
		http-request set-header x-f "%[lua.fetch]" if { path /fetch }
		http-request set-header x-c "%[path,lua.convert]" if { path /convert }
		http-request use-service lua.serve if { path /serve }
		default_backend be
	backend be
		server s $back
	listen tcp
		mode tcp
		bind $tcp
		tcp-request content use-service lua.tcp
	END
} | config
start_penstock -dMfail:"$dir/nth"
driver "$srcdir/reg-tests/lua/no_memory.py" --nth "$dir/nth" --tcp "$tcp" ${EACH:+--each} || fail "a script without memory"
stop_penstock

say "## five of a hundred allocations fail"
sed -i 's/^global/&\n\ttune.fail-alloc 5/' "$dir/cfg"
start_penstock -dMfail
driver "$srcdir/reg-tests/lua/no_memory.py" --nth "$dir/nth" --tcp "$tcp" --random || fail "scripts while memory fails at random"
finish
