#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A script that fails is told with file, line and traceback, ten times a second at the most; the
# next that is told says how many were not.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/fails.lua" <<'END'
local function inner() error("it fails") end
local function fails() inner() return 1 end
core.register_action("act", { "http-req" }, fails)
core.register_fetches("fetch", fails)
core.register_converters("convert", fails)
core.register_service("serve", "http", fails)
core.register_cli({ "fail" }, "", fails)
core.register_cli({ "tasks" }, "", function(applet, _, count)
	for i = 1, tonumber(count) do core.register_task(fails) end
end)
END
{
	printf '\tlog stderr format raw local0\n\tlua-load %s/fails.lua\n' "$dir"
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		http-request lua.act if { path /act }
		http-request set-header x-f %[lua.fetch] if { path /fetch }
		http-request set-header x-c %[str(a),lua.convert] if { path /convert }
		http-request use-service lua.serve if { path /serve }
		http-request return status 200
	END
} | config
start_penstock
own_driver
finish
