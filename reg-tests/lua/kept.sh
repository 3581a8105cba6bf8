#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Objects that scripts keep beyond their life raise an error of Lua, each method of each class:
# those of a stream (of actions, fetches, services, commands), called from another stream, a command
# and a task. What lives as long as the process goes on working.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

{
	echo "API = {}"
	"$PENSTOCK" -q -dKlua -c -f /dev/null 2>/dev/null |
		sed -n 's/^| `\([A-Za-z]*\):\([A-Za-z_]*\)(.*/API["\1"] = API["\1"] or {} table.insert(API["\1"], "\2")/p'
} >"$dir/api.lua"
set -- $(ports 2)
tcp=127.0.0.1:$1 stopped=127.0.0.1:$2
config <<END
	lua-load $dir/api.lua
	lua-load ${0%/*}/kept.lua
$(http_defaults)
frontend fe
	bind $front
	http-request lua.judge if { path /judge }
	http-request lua.lasting if { path /lasting }
	http-request lua.share if { path /share }
	http-request lua.shared if { path /shared }
	http-request lua.keep
	http-request set-var(txn.a) lua.keep
	http-request use-service lua.keep_http if { path /service }
	http-request use-service lua.waits if { path /waits }
	http-response lua.keep
	http-after-response lua.keep
	default_backend be
backend be
	stick-table type ip size 10 store gpc0
	server s $back
frontend stopped
	bind $stopped
listen tcp
	mode tcp
	bind $tcp
	tcp-request content lua.keep_tcp
	tcp-request content use-service lua.keep_tcp
END
start_penstock
driver "${0%.sh}.py" "$tcp" || failures=$((failures + 1))
finish
