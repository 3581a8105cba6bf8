#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# core.backends, core.proxies and Proxy.servers of Lua are what there is now: backends and servers
# that commands add, delete and rename come and go there, in all workers, in scripts for all and in
# those for each. A loop with pairs() goes on when that happens in its middle. Objects that a script
# keeps say that they are over, also when another one lies in their memory.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

{
	printf '\tnbproc 2\n\tlua-load %s\n\tlua-load-per-thread %s\n' \
		"$srcdir/reg-tests/lua/lists.lua" "$srcdir/reg-tests/lua/lists.lua"
	http_defaults
	cat <<-END
	defaults web
		mode http
		timeout connect 30s
		timeout server 2m
	frontend fe
		mode http
		timeout client 2m
		bind $front
	backend be from web
		server s1 $back disabled
		server s2 $back disabled
		server s3 $back disabled
	backend free from web
	END
} | config
start_workers
own_driver
finish
