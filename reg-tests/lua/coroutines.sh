#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A coroutine in which one script waits is a value that another script may close or resume: the one
# that waits hears of it, and whatever it has waited for is over.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/co.lua" <<END
local Co, Said, Begun = nil, {}, {}
local Q = core.queue()
local waits = {
	client = function() return core.httpclient():get{ url = "http://$back/" } end,
	socket = function() local s = core.tcp() s:connect("$back") return s:receive("*l") end,
	queue = function() return Q:pop_wait() end,
	sleep = function() core.sleep(1) end,
}
core.register_service("wait", "http", function(applet)
	local how = applet.path:match("/wait/(%a+)")
	Co, Said[how] = coroutine.create(waits[how]), nil
	Begun[how] = true
	local ok, e = coroutine.resume(Co)
	Said[how] = tostring(ok) .. " " .. tostring(e)
	applet:start_response()
end)
core.register_cli({ "begun" }, "", function(applet, _, how) applet:send(tostring(Begun[how] ~= nil)) end)
core.register_cli({ "said" }, "", function(applet, _, how) applet:send(tostring(Said[how])) end)
core.register_cli({ "forget" }, "", function(applet) Begun, Said = {}, {} end)
core.register_cli({ "close" }, "", function(applet)
	local said = tostring(coroutine.close(Co))
	for _ = 1, 3 do collectgarbage() end
	applet:send(said)
end)
core.register_cli({ "resume" }, "", function(applet)
	local ok, e = coroutine.resume(Co)
	for _ = 1, 3 do collectgarbage() end
	applet:send(tostring(ok) .. " " .. tostring(e))
end)
END
{
	printf '\tlua-load %s/co.lua\n' "$dir"
	http_defaults
	printf 'frontend fe\n\tbind %s\n\thttp-request use-service lua.wait if { path_beg /wait }\n' "$front"
	printf '\thttp-request return status 200\n'
} | config
start_penstock
own_driver
finish
