#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A filter that makes a request wait has it logged once: whoever heard of the request before the
# filter is not told again when the filter is asked again. Rules about responses run behind
# start_analyze.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v curl >/dev/null || { say "needs curl"; exit 77; }

cat >"$dir/filter.lua" <<'LUA'
local F = { flags = filter.FLT_CFG_FL_HTX }
F.__index = F
function F:new() return setmetatable({ left = 3 }, F) end
function F:start_analyze(txn, chn)
	if chn:is_resp() then
		txn:set_var("txn.began", "yes")
		return filter.CONTINUE
	end
	self.left = self.left - 1
	if self.left > 0 then return filter.WAIT end
	txn:set_var("txn.asked", tostring(3 - self.left))
	return filter.CONTINUE
end
core.register_filter("waits", F, function(f, args) return f end)
LUA
set -- $(ports 1)
{
	printf '\tlog stdout format raw local0\n\tlua-load %s/filter.lua\n' "$dir"
	http_defaults
	cat <<-END2
		log global
	listen waits
		bind $front
		log-steps request,close
		log-format "%OG %HU"
		filter lua.waits
		http-response set-header x-asked %[var(txn.asked)]
		http-response set-header x-began %[var(txn.began)]
		server s 127.0.0.1:$1
	listen answers
		bind 127.0.0.1:$1
		no log
		http-request return status 200
	END2
} | config
start_penstock
curl -s -i -m 20 "http://$front/here" >"$dir/answer"
check "the filter was asked three times" grep -qi '^x-asked: 3' "$dir/answer"
check "it heard of the response before its rules" grep -qi '^x-began: yes' "$dir/answer"
stop_penstock
lines=$(grep -c ' /here$' "$log")
check "two lines for two steps: $lines" test "$lines" = 2
finish
