#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Filters that are scripts, with a request that is sent once more (retry-on) as long as they do not
# see its bytes, and with a tunnel behind CONNECT, whose bytes are no message's.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

cat >"$dir/filter.lua" <<'LUA'
local counts = { new = 0, headers = 0, bytes = 0, over = 0 }
local F = { flags = filter.FLT_CFG_FL_HTX }
F.__index = F
function F:new() counts.new = counts.new + 1 return setmetatable({ sees = self.sees }, F) end
function F:start_analyze(txn, chn)
	if self.sees then filter.register_data_filter(self, chn) end
end
function F:http_headers(txn, msg)
	counts.headers = counts.headers + 1
	msg:add_header("x-filter", msg.channel:is_resp() and "response" or "request")
end
function F:http_payload(txn, msg) counts.bytes = counts.bytes + #(msg:body() or "") end
function F:end_analyze(txn, chn) if chn:is_resp() then counts.over = counts.over + 1 end end
core.register_filter("f", F, function(f, args) f.sees = args[1] == "sees" return f end)
core.register_cli({ "counts" }, "", function(applet)
	applet:send(("%d %d %d %d\n"):format(counts.new, counts.headers, counts.bytes, counts.over))
end)
LUA
set -- $(ports 1)
{
	printf '\tlua-load %s/filter.lua\n' "$dir"
	http_defaults
	cat <<-END2
		option httpclose
		retry-on empty-response
		retries 2
	listen heads
		bind $front
		filter lua.f
		server s $back
	listen sees
		bind 127.0.0.1:$1
		filter lua.f sees
		server s $back
	END2
} | config
start_penstock
driver "${0%.sh}.py" --sees "127.0.0.1:$1" || failures=$((failures + 1))
finish
