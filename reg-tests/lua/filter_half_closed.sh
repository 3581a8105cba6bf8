#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# In mode tcp a filter may make the way back wait: a client that has ended its side before gets all
# that the server says, unless option abortonclose takes it for one that has left.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/filter.lua" <<'LUA'
local F = { flags = filter.FLT_CFG_FL_HTX }
F.__index = F
function F:new() return setmetatable({ left = 3 }, F) end
function F:start_analyze(txn, chn)
	if not chn:is_resp() then return filter.CONTINUE end
	self.left = self.left - 1
	return self.left > 0 and filter.WAIT or filter.CONTINUE
end
core.register_filter("waits", F, function(f, args) return f end)
LUA
config <<END
global
	lua-load $dir/filter.lua
defaults
	timeout connect 30s
	timeout client 1m
	timeout server 1m
listen bytes
	bind $front
	filter lua.waits
	server s $back
END
start_penstock
own_driver
finish
