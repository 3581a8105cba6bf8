#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Functions of versions behind 2.6 with two workers: files of patterns, queues, waits, variables,
# events. What 2.8 has of them is compared with it in compare.sh.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

printf 'first one\n' >"$dir/a.map"
printf '/listed\n' >"$dir/a.lst"
cp "${0%/*}/later.lua" "$dir/later.lua"
{
	cat <<-END
		nbproc 2
		log stderr format raw local0
		lua-load $dir/later.lua $dir/a.map $dir/a.lst
	END
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		http-request return status 200 content-type text/plain lf-string "%[lua.patref_add]" if { path /fetch }
		http-request return status 200 content-type text/plain lf-string "%[lua.patref_get]" if { path /get }
		http-request return status 200 content-type text/plain lf-string "%[lua.servers]" if { path /servers }
		http-request set-map($dir/a.map) %[url_param(key)] %[url_param(value)] if { path /set }
		http-request del-map($dir/a.map) %[url_param(key)] if { path /del }
		http-request return status 200 content-type text/plain string "listed" if { path -f $dir/a.lst }
		http-request return status 200 content-type text/plain lf-string "%[url_param(key),map($dir/a.map,none)]"
	backend be
		server s1 127.0.0.1:1 weight 7 maxconn 10
	END
} | config
start_workers
driver "${0%/*}/later.py" --map "$dir/a.map" --log "$log" || failures=$((failures + 1))
finish
