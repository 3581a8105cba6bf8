#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the stats socket, the form of the stats page and scripts ask of a server leaves the same
# state behind, in all workers: maintenance, drain, health, weight, limit, address, checks, agent.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/asked.lua" <<'END'
core.register_cli({"script", "asks"}, "asks a server", function(applet, script, asks, backend, server, method, ...)
	local s = core.proxies[backend].servers[server]
	s[method](s, ...)
	applet:send("asked\n")
end)
END
backend() {
	cat <<-END
	backend $1
		server s1 192.0.2.1:80 weight 40 maxconn 7 agent-check agent-addr 127.0.0.1 agent-port ${back##*:} agent-inter 1h
		server s2 192.0.2.1:80 track $1/s1
		server s3 192.0.2.1:80
		server s4 $front check inter 1s
	END
}
{
	printf '\tnbproc 2\n\tlua-load %s\n' "$dir/asked.lua"
	http_defaults
	printf 'frontend page\n\tbind %s\n\tstats uri /\n\tstats admin if TRUE\n' "$front"
	backend socket
	backend page
	backend script
} | config
start_workers
driver "$srcdir/reg-tests/cli/server_asked.py" || fail "asked"
finish
