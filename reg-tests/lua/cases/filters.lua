-- SPDX-License-Identifier: BSD-2-Clause
-- Filters. What they do is logged.
local function note(...) core.Info(table.concat({ ... }, " ")) end
local kinds = {}
local function class(name, flags)
	local c = { id = "Lua " .. name, flags = flags }
	c.__index = c
	function c:new()
		return setmetatable({}, c)
	end
	kinds[name] = c
	core.register_filter(name, c, function(f, args)
		f.args = args
		return f
	end)
	return c
end
local HTX = filter.FLT_CFG_FL_HTX
local function side(chn) return chn:is_resp() and "response" or "request" end
local t = class("trace", HTX)
function t:new()
	local o = setmetatable({ sizes = { request = 0, response = 0 } }, t)
	note("new, arguments", show(self.args))
	return o
end
function t:start_analyze(txn, chn)
	note("start", side(chn))
	filter.register_data_filter(self, chn)
end
function t:end_analyze(txn, chn) note("end", side(chn), self.sizes[side(chn)]) end
function t:http_headers(txn, msg)
	local line = msg:get_stline()
	note("headers", side(msg.channel), show(line), show(msg:get_headers()))
	return filter.CONTINUE
end
function t:http_payload(txn, msg)
	local body = msg:body()
	self.sizes[side(msg.channel)] = self.sizes[side(msg.channel)] + (body and #body or 0)
end
function t:http_end(txn, msg)
	note("http_end", side(msg.channel))
	return filter.CONTINUE
end
local e = class("headers", HTX)
function e:http_headers(txn, msg)
	if msg.channel:is_resp() then
		msg:set_status(404, "By a filter")
		msg:add_header("x-filter", "response")
		msg:del_header("server")
		msg:rep_value("x-res", "one", "ONE")
	else
		msg:set_method("PUT")
		msg:set_path("/changed")
		msg:set_query("by=filter")
		msg:add_header("x-filter", "request")
		msg:set_header("x-a", "only")
		msg:rep_header("host", "h", "other")
	end
	return filter.CONTINUE
end
local m = class("members", HTX)
local function names(x)
	local words = {}
	for k, v in pairs(x) do words[#words + 1] = tostring(k) .. ":" .. type(v) end
	local meta = getmetatable(x)
	for k, v in pairs(meta and type(meta.__index) == "table" and meta.__index or {}) do words[#words + 1] = "index " .. tostring(k) .. ":" .. type(v) end
	table.sort(words)
	return table.concat(words, " ")
end
function m:http_headers(txn, msg)
	if not msg.channel:is_resp() then
		note("message", names(msg))
		note("txn", names(txn))
		note("lengths", shows(msg:input(), msg:output(), msg:eom(), msg:is_full(), msg:is_resp(), msg:may_recv()))
		note("wrong side", shown(msg.set_status, msg, 404))
		note("var", shows(txn:set_var("txn.by_filter", 1), txn:get_var("txn.by_filter")))
		note("header, nil", shown(msg.add_header, msg, "x", nil))
		note("http of txn", type(txn.http), type(txn.http_req), type(txn.http_res))
		note("fetch", shows(txn.f:path()))
		note("tostring", (tostring(msg):gsub("0x%x+", "")))
	end
	return filter.CONTINUE
end
local sl = class("sleeps", HTX)
function sl:http_headers(txn, msg)
	core.msleep(1)
	return filter.CONTINUE
end
local p = class("payload", HTX)
function p:start_analyze(txn, chn) if chn:is_resp() then filter.register_data_filter(self, chn) end end
function p:http_headers(txn, msg)
	if msg.channel:is_resp() then
		msg:del_header("content-length")
		msg:add_header("transfer-encoding", "chunked")
	end
	return filter.CONTINUE
end
function p:http_payload(txn, msg)
	local body = msg:body()
	if body and #body > 0 then
		msg:set(body:upper())
	end
end
local a = class("append", HTX)
function a:start_analyze(txn, chn) if chn:is_resp() then filter.register_data_filter(self, chn) end end
function a:http_headers(txn, msg)
	if msg.channel:is_resp() then msg:del_header("content-length") msg:add_header("transfer-encoding", "chunked") end
	return filter.CONTINUE
end
function a:http_payload(txn, msg)
	if not self.did then
		self.did = true
		note("prepend", shown(msg.prepend, msg, "before\n"))
		note("insert", shown(msg.insert, msg, "INS", 3))
		note("append", shown(msg.append, msg, "after\n"))
		note("remove", shown(msg.remove, msg, 0, 2))
		note("lengths", shows(msg:input(), msg:body(0, 6)))
	end
end
for _, name in ipairs { "WAIT", "ERROR" } do
	local r = class("returns_" .. name, HTX)
	function r:http_headers(txn, msg) return filter[name] end
end
local r = class("raises", HTX)
function r:http_headers(txn, msg) error("boom") end
local r2 = class("raises_payload", HTX)
function r2:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
function r2:http_payload(txn, msg) error("boom") end
local r3 = class("raises_start", HTX)
function r3:start_analyze(txn, chn) error("boom") end
local r4 = class("raises_new", HTX)
function r4:new() error("boom") end
local r5 = class("nil_new", HTX)
function r5:new() return nil end
local n = class("nothing", HTX)
local d = class("txn_done", HTX)
function d:http_headers(txn, msg)
	if not msg.channel:is_resp() then txn:done { status = 403, body = "by a filter\n" } end
	return filter.CONTINUE
end
local tcp = class("tcp")
function tcp:start_analyze(txn, chn)
	filter.register_data_filter(self, chn)
end
function tcp:tcp_payload(txn, chn)
	local data = chn:data(0, chn:input())
	if data and #data > 0 then
		if chn:is_resp() then
			chn:set(data:upper())
		end
	end
end
local rt = class("raises_tcp")
function rt:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
function rt:tcp_payload(txn, chn) error("boom") end
local nohtx = class("no_htx")
core.register_filter("refused", class("refused_class", HTX), function(f, args) return nil end)
