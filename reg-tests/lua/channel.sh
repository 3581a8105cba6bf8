#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Channel of actions in mode tcp: what insert, append, set, remove, forward and send do at the
# bounds of what there is, in both directions, whether bytes come at once or one by one.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

# A line of ten bytes begins with the number of what is done to it.
cat >"$dir/channel.lua" <<'LUA'
local said = {}
local calls = {
	{ "insert", "[]" }, { "insert", "[]", 0 }, { "insert", "[]", 3 }, { "insert", "[]", 10 }, { "insert", "[]", 11 },
	{ "insert", "[]", -1 }, { "insert", "[]", -10 }, { "insert", "[]", -11 }, { "insert", "" },
	{ "append", "[]" }, { "append", "" }, { "append", ("x"):rep(100000) }, { "prepend", "[]" },
	{ "set", "[]" }, { "set", "[]", 8 }, { "set", "[]", 10 }, { "set", "[]", 11 }, { "set", "[]", 2, 0 },
	{ "set", "[]", 2, 3 }, { "set", "[]", 0, 10 }, { "set", "[]", 0, 11 }, { "set", "[]", -2 }, { "set", "" },
	{ "remove" }, { "remove", 9 }, { "remove", 10 }, { "remove", 11 }, { "remove", 0, 1 }, { "remove", -1 },
	{ "remove", 3, 7 }, { "remove", 3, 8 }, { "forward", 0 }, { "forward", 3 }, { "forward", 10 },
	{ "send", "" }, { "send", "[]" },
}
for side, where in pairs { req = "tcp-req", res = "tcp-res" } do
	core.register_action(side, { where }, function(txn)
		local channel = txn[side]
		local call = calls[tonumber(channel:line(0, 10):sub(1, 2))]
		local r = table.pack(pcall(channel[call[1]], channel, table.unpack(call, 2)))
		said[#said + 1] = r[1] and tostring(r[2]) or "error"
	end)
end
core.register_action("other", { "tcp-req" }, function(txn)
	said[#said + 1] = tostring(txn.res:send(("x"):rep(100000)))
end)
core.register_cli({ "calls" }, "", function(applet)
	for _, call in ipairs(calls) do
		local words = {}
		for k, v in ipairs(call) do words[k] = type(v) == "string" and '"' .. v .. '"' or tostring(v) end
		applet:send("[" .. table.concat(words, ",") .. "]\n")
	end
end)
core.register_cli({ "said" }, "", function(applet) applet:send(table.concat(said, " ") .. "\n") said = {} end)
LUA
set -- $(ports 2)
{
	cat <<-END2
		lua-load $dir/channel.lua
	defaults d
		mode tcp
		timeout connect 30s
		timeout client 2m
		timeout server 2m
		tcp-request inspect-delay 1m
		tcp-response inspect-delay 1m
	listen req
		bind $front
		tcp-request content lua.req
		server s $back
	listen res
		bind 127.0.0.1:$1
		tcp-response content lua.res
		server s $back
	listen other
		bind 127.0.0.1:$2
		tcp-request content lua.other
		server s $back
	END2
} | config
start_penstock
driver "${0%.sh}.py" --res "127.0.0.1:$1" --other "127.0.0.1:$2" || failures=$((failures + 1))
finish
