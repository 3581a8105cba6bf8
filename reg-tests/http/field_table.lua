-- SPDX-License-Identifier: BSD-2-Clause
-- The changes of heads that rules make, made by actions and by a filter: see field_table.py.
local whole = { rep = "header", repval = "value" }

local function action(name, place, way)
	core.register_action(name, { place }, function(txn, verb, field, value, by)
		local http = txn.http
		if verb == "del" then
			http[way .. "_del_header"](http, field)
		elseif whole[verb] then
			http[way .. "_rep_" .. whole[verb]](http, field, value, by)
		else
			http[way .. "_" .. verb .. "_header"](http, field, value)
		end
	end, 4)
end
action("edit_req", "http-req", "req")
action("edit_res", "http-res", "res")

-- "X-Filter: req set Connection close": what the filter of this stream does, in that order.
local editor = { flags = filter.FLT_CFG_FL_HTX }
editor.__index = editor
function editor:new() return setmetatable({ res = {} }, editor) end
function editor:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
local function edit(msg, line)
	local verb, field, value = line:match("^(%S+) (%S+) ?(.*)$")
	if verb == "del" then
		msg:del_header(field)
	else
		msg[verb .. "_header"](msg, field, value)
	end
end
function editor:http_headers(txn, msg)
	if msg:is_resp() then
		for _, line in ipairs(self.res) do edit(msg, line) end
		return
	end
	local lines = msg:get_headers()["x-filter"]
	for i = 0, lines and #lines or -1 do
		local way, line = lines[i]:match("^(%S+) (.*)$")
		if way == "res" then
			table.insert(self.res, line)
		else
			edit(msg, line)
		end
	end
end
core.register_filter("editor", editor, function(f, args) return f end)
