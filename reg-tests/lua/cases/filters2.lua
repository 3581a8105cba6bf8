-- SPDX-License-Identifier: BSD-2-Clause
-- Filters: moments, what payload functions return, HTTPMessage and Channel inside filters.
local function note(...) core.Info(table.concat({ ... }, " ")) end
local HTX = filter.FLT_CFG_FL_HTX
local function side(chn) return chn:is_resp() and "response" or "request" end
local function class(name, flags)
	local c = { id = "Lua " .. name, flags = flags or HTX }
	c.__index = c
	function c:new() return setmetatable({}, c) end
	core.register_filter(name, c, function(f, args)
		f.args = args
		return f
	end)
	return c
end
-- The response's bytes are looked at.
local function response_filter(name, payload, headers)
	local c = class(name)
	function c:start_analyze(txn, chn)
		if chn:is_resp() then filter.register_data_filter(self, chn) end
	end
	if headers then
		function c:http_headers(txn, msg)
			if msg.channel:is_resp() then return headers(self, txn, msg) end
			return filter.CONTINUE
		end
	end
	function c:http_payload(txn, msg)
		if msg.channel:is_resp() then return payload(self, txn, msg) end
	end
	return c
end
local function chunked(self, txn, msg)
	msg:del_header("content-length")
	msg:add_header("transfer-encoding", "chunked")
	return filter.CONTINUE
end

-- What the function for bytes returns.
response_filter("returns_all", function(self, txn, msg) return msg:input() end)
response_filter("returns_nil", function(self, txn, msg) return nil end)
response_filter("returns_true", function(self, txn, msg) return true end)
response_filter("returns_string", function(self, txn, msg) return "x" end)
response_filter("returns_many", function(self, txn, msg) return 100000 end)
response_filter("returns_minus2", function(self, txn, msg) return -2 end)
response_filter("returns_error", function(self, txn, msg) return filter.ERROR end)
response_filter("returns_few", function(self, txn, msg)
	self.calls = (self.calls or 0) + 1
	if self.calls < 4 then note("call", tostring(self.calls), shows(msg:input(), msg:output(), msg:eom())) end
	return 5
end)
response_filter("returns_few_wake", function(self, txn, msg)
	self.calls = (self.calls or 0) + 1
	if self.calls < 4 then
		note("call", tostring(self.calls), shows(msg:input(), msg:output(), msg:eom()))
		filter.wake_time(20)
		return 5
	end
end)
response_filter("collects", function(self, txn, msg)
	if not msg:eom() then return 0 end
	local body = msg:body()
	note("whole", shows(body and #body, msg:input()))
	msg:set(body:upper())
end)
response_filter("collects_chunked", function(self, txn, msg)
	if not msg:eom() then return 0 end
	local body = msg:body()
	msg:set("all: " .. body:upper() .. "end\n")
end, chunked)
response_filter("forwards", function(self, txn, msg)
	note("forward", shown(msg.forward, msg, 4), shows(msg:input(), msg:output(), msg:body(0, 3)))
end)
response_filter("sends", function(self, txn, msg)
	if self.did then return end
	self.did = true
	note("send", shown(msg.send, msg, "sent\n"), shows(msg:input(), msg:output(), msg:body(0, 3)))
end, chunked)
response_filter("sets", function(self, txn, msg)
	if self.did then return end
	self.did = true
	note("set", shown(msg.set, msg, "new", 0, 2), shows(msg:input(), msg:body(0, 8)))
	note("set far", shown(msg.set, msg, "new", 10000))
	note("set long", shown(msg.set, msg, "new", 0, 10000))
	note("remove", shown(msg.remove, msg, -3), shows(msg:input()))
	note("remove far", shown(msg.remove, msg, 10000))
	note("remove long", shown(msg.remove, msg, 0, 10000))
	note("body far", shown(msg.body, msg, 10000))
	note("body long", shown(msg.body, msg, 0, 3), shown(msg.body, msg, -4), shown(msg.body, msg, 2, -1) ~= nil and "some" or "none")
	note("body -2", shown(msg.body, msg, 0, -2))
	note("insert", shown(msg.insert, msg, "x", -1), shown(msg.insert, msg, "x", 10000))
	note("numbers", shown(msg.append, msg, 5), shown(msg.append, msg), shown(msg.append, msg, nil), shown(msg.append, msg, "a", "b"))
	note("words", shown(msg.body, msg, "x"), shown(msg.set, msg), shown(msg.remove, msg, "x"))
	note("forward", shown(msg.forward, msg, -1), shown(msg.forward, msg), shown(msg.forward, msg, "x"))
	note("none", shown(msg.input), shown(msg.input, msg, 1), shown(msg.eom, msg, 1), shown(msg.is_full, msg, 1))
end, chunked)
response_filter("long_append", function(self, txn, msg)
	if self.did then return end
	self.did = true
	note("append", shown(msg.append, msg, ("x"):rep(50000)), shown(msg.prepend, msg, ("y"):rep(50000)))
	note("less", shown(msg.append, msg, ("x"):rep(1000)))
	note("full", shows(msg:is_full()))
end, chunked)
response_filter("grows_length", function(self, txn, msg)
	if not self.did then
		self.did = true
		msg:prepend("more ")
	end
end)
response_filter("shrinks_length", function(self, txn, msg)
	if not self.did then
		self.did = true
		msg:remove(0, 4)
	end
end)
response_filter("new_length", function(self, txn, msg)
	if not msg:eom() then return 0 end
	msg:set("short\n")
end, function(self, txn, msg)
	msg:set_header("content-length", "6")
	return filter.CONTINUE
end)
response_filter("eoms", function(self, txn, msg)
	if self.did then return end
	self.did = true
	note("eom", shows(msg:eom()))
	note("unset", shown(msg.unset_eom, msg), shows(msg:eom()))
	note("set", shown(msg.set_eom, msg), shows(msg:eom()))
end)
response_filter("cut_by_eom", function(self, txn, msg)
	if self.did then return end
	self.did = true
	msg:remove(5)
	msg:set_eom()
end, chunked)
response_filter("in_headers", function() end, function(self, txn, msg)
	note("lengths", shows(msg:input() > 0, msg:output(), msg:eom(), msg:is_full(), msg:may_recv()))
	note("channel", shows(msg.channel:input() > 0, msg.channel:output(), msg.channel:is_full(), msg.channel:may_recv()))
	note("body", shown(msg.body, msg))
	note("append", shown(msg.append, msg, "x"))
	note("forward", shown(msg.forward, msg, 1))
	note("send", shown(msg.send, msg, "x"))
	note("remove", shown(msg.remove, msg))
	note("set_eom", shown(msg.set_eom, msg))
	note("channel", shown(msg.channel.data, msg.channel), shown(msg.channel.append, msg.channel, "x"))
	return filter.CONTINUE
end)
response_filter("channel_in_payload", function(self, txn, msg)
	if self.did then return end
	self.did = true
	note("input", shows(msg.channel:input() == msg:input(), msg.channel:output()))
	note("data", shown(msg.channel.data, msg.channel))
	note("txn.res", shows(txn.res:input() == msg:input(), txn.res:is_resp(), txn.req:is_resp()))
	note("http_res", shows(type(txn.http_res), txn.http_res and txn.http_res:input() == msg:input()))
	note("head", shown(msg.get_stline, msg))
	note("add", shown(msg.add_header, msg, "x-late", "1"))
	note("req", shown(function() return type(txn.http_req:get_headers()) end))
end)

-- What other functions return.
for _, name in ipairs { "http_headers", "http_end", "start_analyze", "end_analyze" } do
	for _, what in ipairs { "WAIT", "ERROR", "CONTINUE" } do
		for _, where in ipairs { "request", "response" } do
			local c = class(name .. "_" .. what .. "_" .. where)
			c[name] = function(self, txn, x)
				local chn = x.channel or x
				if side(chn) == where then
					if what == "WAIT" and not self.did then
						self.did = true
						filter.wake_time(20)
						note("waits")
						return filter.WAIT
					elseif what ~= "WAIT" then
						return filter[what]
					end
					note("again")
				end
				return filter.CONTINUE
			end
		end
	end
end
-- All moments.
local t = class("moments")
function t:new() note("new") return setmetatable({}, t) end
function t:start_analyze(txn, chn) note("start", side(chn)) filter.register_data_filter(self, chn) end
function t:end_analyze(txn, chn) note("end", side(chn)) end
function t:http_headers(txn, msg) note("headers", side(msg.channel)) return filter.CONTINUE end
function t:http_payload(txn, msg)
	self.n = (self.n or 0) + (msg:input() or 0)
	if msg:eom() and not (self.seen or {})[side(msg.channel)] then
		self.seen = self.seen or {}
		self.seen[side(msg.channel)] = true
		note("last bytes", side(msg.channel), tostring(self.n))
		self.n = 0
	end
end
function t:http_end(txn, msg) note("http_end", side(msg.channel)) return filter.CONTINUE end
function t:tcp_payload(txn, chn) if chn:input() > 0 then note("tcp_payload", side(chn), tostring(chn:input())) end end

local u = class("unregisters")
function u:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
function u:http_payload(txn, msg)
	note("payload", side(msg.channel))
	filter.unregister_data_filter(self, msg.channel)
end
local l = class("registers_in_headers")
function l:http_headers(txn, msg) filter.register_data_filter(self, msg.channel) return filter.CONTINUE end
function l:http_payload(txn, msg) if not self.did then self.did = true note("payload", side(msg.channel)) end end
local d = class("done_in_payload")
function d:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
function d:http_payload(txn, msg) if msg.channel:is_resp() then note("done") txn:done() end end
local k = class("keeps")
function k:http_headers(txn, msg)
	if kept then
		note("old message", shown(kept.get_headers, kept), shown(kept.input, kept))
		note("old channel", shown(kept_channel.input, kept_channel))
		note("old txn", shown(kept_txn.get_var, kept_txn, "txn.x"))
	end
	if msg.channel:is_resp() then kept, kept_channel, kept_txn = msg, msg.channel, txn end
	return filter.CONTINUE
end
local s = class("start_txn")
function s:start_analyze(txn, chn)
	note("start", side(chn), shown(txn.set_var, txn, "txn.n", 1), shown(function() return txn.sf:src() end), shown(function() return txn.sf:path() end), type(txn.http), type(txn.http_req), type(txn.http_res))
end
local w = class("waits_forever")
function w:http_headers(txn, msg) return filter.WAIT end

-- Mode tcp.
local function bytes(name, payload)
	local c = class(name, 0)
	function c:start_analyze(txn, chn) if chn:is_resp() then filter.register_data_filter(self, chn) end end
	function c:tcp_payload(txn, chn) return payload(self, txn, chn) end
	return c
end
local function first(f)
	return function(self, txn, chn)
		if self.did or chn:input() == 0 then return end
		self.did = true
		return f(self, txn, chn)
	end
end
bytes("tcp_few", function(self, txn, chn)
	if chn:input() > 0 then note("call", shows(chn:input(), chn:output())) end
	filter.wake_time(10)
	return 7
end)
bytes("tcp_functions", first(function(self, txn, chn)
	note("prepend", shown(chn.prepend, chn, "P"), shown(chn.append, chn, "A"), shown(chn.insert, chn, "I", 2))
	note("data", shows(chn:data(), chn:line(), chn:input(), chn:output()))
	note("data -1", shown(chn.data, chn, 0, -1), shown(chn.data, chn, 0, 1000), shown(chn.line, chn, 0, -1))
	note("remove", shown(chn.remove, chn, 0, 1), shown(chn.set, chn, "xy", 0, 2), shows(chn:data()))
	note("dup", shown(chn.dup, chn))
	note("getline", shown(chn.getline, chn), shows(chn:input()))
	note("append", shown(chn.append, chn, "more\n"))
	note("forward", shown(chn.forward, chn, 2), shows(chn:input(), chn:output()))
	note("may_recv", shown(chn.may_recv, chn), shown(chn.is_full, chn))
end))
bytes("tcp_swallows", function(self, txn, chn) chn:remove() end)
bytes("tcp_zero", function(self, txn, chn)
	if chn:input() == 0 then return end
	self.calls = (self.calls or 0) + 1
	note("call", shows(self.calls, chn:input()))
	if self.calls < 3 then
		filter.wake_time(10)
		return 0
	end
end)
local q = class("tcp_request", 0)
function q:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
function q:tcp_payload(txn, chn)
	if not chn:is_resp() and chn:input() > 0 then chn:set((chn:data():gsub("one", "three"))) end
end
function q:http_headers() note("never") end

-- Bytes for messages that have none.
for _, name in ipairs { "appends_request", "appends_response", "appends_unmeasured" } do
	local ap = class(name)
	function ap:start_analyze(txn, chn)
		if chn:is_resp() == (name == "appends_response") then filter.register_data_filter(self, chn) end
	end
	function ap:http_headers(txn, msg)
		if name == "appends_unmeasured" then
			msg:del_header("content-length")
			if not msg.channel:is_resp() then msg:add_header("transfer-encoding", "chunked") end
		end
		return filter.CONTINUE
	end
	function ap:http_payload(txn, msg)
		if msg:eom() and not self.did then
			self.did = true
			note("append", shown(msg.append, msg, "<<>>"))
		end
	end
end
