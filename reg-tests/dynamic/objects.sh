#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Objects of Lua that stand for a server or a backend: they follow it through a new name, and say
# that they are over when it has gone, also when another one lies in its memory.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cp "${0%/*}/objects.lua" "$dir/objects.lua"
{
	printf '\tlua-load %s\n' "$dir/objects.lua"
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
		balance leastconn
		server file $back disabled
	backend free from web
	END
} | config
start_penstock
own_driver
finish
