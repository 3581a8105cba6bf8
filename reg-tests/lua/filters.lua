-- SPDX-License-Identifier: BSD-2-Clause
-- Filters whose every byte can be foretold, wherever the pieces of a body are cut; and filters that do
-- what they should not. What they have seen is counted for lua.state.
local HTX, WAKE_MS = filter.FLT_CFG_FL_HTX, 1
local counts = { new = 0, over = 0, refused = 0 }
local kept = {}

local function class(name, flags)
	local c = { flags = flags }
	c.__index = c
	function c:new()
		counts.new = counts.new + 1
		return setmetatable({ ways = { [true] = {}, [false] = {} }, streams = { [true] = {}, [false] = {} } }, c)
	end
	function c:start_analyze(txn, chn) filter.register_data_filter(self, chn) end
	function c:end_analyze(txn, chn) if chn:is_resp() then counts.over = counts.over + 1 end end
	core.register_filter(name, c, function(f, args)
		local words = setmetatable({}, c)
		words.__index = words
		words.args = args
		function words:new()
			local o = c.new(self)
			return o and setmetatable(o, words)
		end
		return words
	end)
	return c
end

-- ---- what becomes of bytes ---------------------------------------------------------------------

-- Each is given bytes and whether they are the last ones; it returns others, and how many it has used.
local changes = {}
function changes.upper(text) return text:upper(), #text end
function changes.double(text) return text:gsub("[%s%S]", "%0%0"), #text end
function changes.drop(text) return (text:gsub("[w-z]", "")), #text end
function changes.swap(text, last)
	local even = #text - #text % 2
	local new = text:sub(1, even):gsub("([%s%S])([%s%S])", "%2%1")
	if last and even < #text then return new .. text:sub(-1), #text end
	return new, even
end
function changes.brackets(text, last, way)
	if text == "" and not way.begun then return "", 0 end
	return (way.begun and "" or "<<") .. text .. (last and ">>" or ""), #text
end
function changes.same(text) return text, #text end

local function change(flt, way, bytes, text, last)
	local kind, holds = flt.args[1], flt.args[2] == "hold"
	local most = holds and math.random(0, #text) or #text
	local new, used
	if way.over then return 0 end
	repeat
		new, used = changes[kind](text:sub(1, most), last and most == #text, way)
		local done = bytes:set(new, 0, used) >= 0
		most = most // 2
	until done
	way.begun = way.begun or used > 0
	way.over = last and used == #text
	if used < #text then filter.wake_time(WAKE_MS) end
	return #new
end

local c = class("change", HTX)
function c:http_headers(txn, msg)
	local kind = self.args[1]
	if kind ~= "upper" and kind ~= "swap" and kind ~= "same" then msg:del_header("content-length") end
	if self.args[2] == "hold" and not self.ways[msg:is_resp()].waited then
		self.ways[msg:is_resp()].waited = true
		filter.wake_time(WAKE_MS)
		return filter.WAIT
	end
end
function c:http_payload(txn, msg)
	local body = msg:body()
	return change(self, self.ways[msg:is_resp()], msg, body or "", msg:eom())
end
function c:tcp_payload(txn, chn)
	local text = chn:data()
	return change(self, self.streams[chn:is_resp()], chn, text or "", not chn:may_recv())
end

-- ---- what they should not do -------------------------------------------------------------------

local function forever() while true do end end
local moments = {
	loop = forever,
	raise = function() error("raised") end,
	done = function(txn) txn:done() end,
	reply = function(txn) local r = txn:reply { status = 418 } txn:done(r) end,
	sleep = function() core.msleep(1) end,
	memory = function() return ("x"):rep(1 << 28) end,
	table = function() local t = {} while true do t[#t + 1] = t end end,
	none = function() return {} end,
	word = function() return "word" end,
	much = function() return 1 << 60 end,
	min = function() return math.mininteger end,
	ERROR = function() return filter.ERROR end,
	all = function(txn, object)
		for _, o in ipairs { txn, object, txn.req, txn.res, txn.http_req or txn, txn.http_res or txn } do
			for _, name in ipairs { "input", "output", "is_resp", "is_full", "may_recv", "eom", "body", "data",
				"line", "get", "dup", "getline", "get_headers", "get_stline", "unset_eom", "get_priv",
				"get_in_len", "get_out_len" } do
				if o[name] then pcall(o[name], o) end
			end
			for _, name in ipairs { "set", "append", "prepend", "insert", "send", "forward", "remove",
				"del_header", "set_status", "set_path", "set_uri", "set_method" } do
				for _, word in ipairs { "x", 0, -1, math.mininteger, math.maxinteger } do
					if o[name] then pcall(o[name], o, word) end
				end
			end
		end
	end,
}
-- "bad MOMENT WHAT [res]"
local bad = class("bad", HTX)
for _, name in ipairs { "new", "start_analyze", "http_headers", "http_payload", "tcp_payload", "http_end", "end_analyze" } do
	local usual = bad[name]
	bad[name] = function(self, txn, object)
		local way, what = self.args[3] == "res", self.args[2]
		if name == self.args[1] and (not object or object:is_resp() == way) then
			local says = moments[what](txn, object)
			if name ~= "new" and says ~= nil then return says end
		end
		return usual and usual(self, txn, object)
	end
end

-- Waits: "wait [MS]" for ever, as often as it is asked.
local w = class("wait", HTX)
function w:http_headers(txn, msg)
	if self.args[1] then filter.wake_time(tonumber(self.args[1])) end
	return filter.WAIT
end

-- Keeps all that it is given: "swallow SIDE", or until the end: "collect".
local s = class("swallow", HTX)
function s:start_analyze(txn, chn)
	if chn:is_resp() == (self.args[1] == "res") then filter.register_data_filter(self, chn) end
end
function s:http_payload() return 0 end
function s:tcp_payload() return 0 end
local o = class("collect", HTX)
function o:http_payload(txn, msg) return msg:eom() and msg:input() or 0 end
function o:tcp_payload(txn, chn) return not chn:may_recv() and chn:input() or 0 end

-- "eom BYTES [req]": the message ends behind so many.
local e = class("eom", HTX)
function e:http_headers(txn, msg) msg:del_header("content-length") end
function e:http_payload(txn, msg)
	local way = self.ways[msg:is_resp()]
	local most = tonumber(self.args[1]) - (way.passed or 0)
	if msg:is_resp() == (self.args[2] == "req") then return end
	local n = math.min(msg:input(), most)
	way.passed = (way.passed or 0) + n
	if n == most then
		msg:remove(n)
		msg:set_eom()
	end
	return n
end

-- Objects beyond their life, and those whose insides were overwritten.
local k = class("keep", HTX)
local function use(object, name, ...)
	if object and not pcall(object[name], object, ...) then counts.refused = counts.refused + 1 end
end
function k:http_headers(txn, msg)
	use(kept.txn, "get_priv")
	use(kept.msg, "input")
	use(kept.msg, "get_headers")
	use(kept.chn, "input")
	use(kept.chn, "data")
	use(self.other, "get_headers")
	if msg:is_resp() then kept = { txn = txn, msg = msg, chn = msg.channel } end
	self.other = msg
end
local g = class("garbage", HTX)
function g:http_payload(txn, msg)
	local handle, side = msg[0], msg[1]
	for _, x in ipairs { 1, "x", {}, io.stdout, true, function() end, txn, msg } do
		for at = 0, 2 do
			local before = msg[at]
			msg[at] = x
			msg.channel = x
			pcall(msg.body, msg)
			pcall(msg.append, msg, "x")
			pcall(msg.set_eom, msg)
			pcall(filter.register_data_filter, self, x)
			pcall(filter.unregister_data_filter, x, x)
			msg[at] = before
		end
	end
	msg[0], msg[1], msg.channel = handle, side, nil
	if msg:eom() then msg:unset_eom() msg:set_eom() end
end

core.register_service("state", "http", function(applet)
	collectgarbage()
	collectgarbage()
	local text = ("%d %d %d %d"):format(counts.new, counts.over, counts.refused, collectgarbage("count") * 1024)
	applet:set_status(200)
	applet:add_header("content-length", #text)
	applet:start_response()
	applet:send(text)
end)
