-- SPDX-License-Identifier: BSD-2-Clause
-- Scripts of actions.sh.

local function action(name, f, where)
	core.register_action(name, where or { "http-req" }, f)
end

-- Says what is wrong, in the answer's body; nothing: "fine".
local function judge(name, f, where)
	action(name, function(txn)
		local wrong = {}
		f(txn, function(sentence, good)
			if not good then
				wrong[#wrong + 1] = sentence
			end
		end)
		txn:done { status = 200, body = #wrong == 0 and "fine" or table.concat(wrong, ", ") }
	end, where)
end

-- Objects of one stream, used in another, and in the same when its turn is over.
local kept = {}
action("keep", function(txn)
	kept = { txn = txn, f = txn.f, sf = txn.sf, c = txn.c, sc = txn.sc, http = txn.http,
		get_var = txn.get_var, src = txn.f.src, lower = txn.c.lower,
		del = txn.http.req_del_header, reply = txn:reply() }
end)
judge("use", function(txn, check)
	local function raises(sentence, ...)
		check(sentence .. " does not raise", not pcall(...))
	end
	raises("get_var", kept.get_var, kept.txn, "txn.a")
	raises("set_var", kept.txn.set_var, kept.txn, "txn.a", 1)
	raises("priv", kept.txn.set_priv, kept.txn, 1)
	raises("log", kept.txn.Info, kept.txn, "x")
	raises("loglevel", kept.txn.set_loglevel, kept.txn, 1)
	raises("tos", kept.txn.set_tos, kept.txn, 1)
	raises("class", kept.txn.set_priority_class, kept.txn, 1)
	raises("done", kept.txn.done, kept.txn, {})
	raises("f", kept.src, kept.f)
	raises("sf", kept.sf.src, kept.sf)
	raises("c", kept.lower, kept.c, "X")
	raises("sc", kept.sc.lower, kept.sc, "X")
	raises("http", kept.http.req_get_headers, kept.http)
	raises("del_header", kept.del, kept.http, "host")
	raises("another object", kept.get_var, kept.http, "txn.a")
	raises("a table", kept.get_var, { [0] = kept.txn[0] }, "txn.a")
	raises("no object", kept.get_var, nil, "txn.a")
	raises("an object without handle", function()
		kept.txn[0] = nil
		kept.txn:get_var("txn.a")
	end)
	check("the object of this stream", txn:get_var("txn.a") == nil)
	check("a reply is nobody's", kept.reply:set_status(201))
end)

-- txn:done ends the script, whatever protects it.
local ways = {
	plain = function(f) f() end,
	pcall = function(f) pcall(f) end,
	xpcall = function(f) xpcall(f, function() return "handled" end) end,
	loop = function(f) while true do pcall(f) end end,
	coroutine = function(f) coroutine.wrap(f)() end,
	resume = function(f) coroutine.resume(coroutine.create(function() pcall(f) end)) end,
	sort = function(f) table.sort({ 3, 2, 1 }, function() f() end) end,
	metamethod = function(f) return setmetatable({}, { __index = f }).x end,
	close = function(f) local x <close> = setmetatable({}, { __close = function() f() end }) end,
}
for name, way in pairs(ways) do
	action("done_" .. name, function(txn)
		way(function() txn:done { status = 418, body = "ended" } end)
		txn:set_var("txn.behind", 1)
	end)
end

-- Answers that cannot be.
local bad = {
	body = { body = ("x"):rep(10000000) }, value = { headers = { a = { ("x"):rep(20000) } } },
	line = { headers = { a = { "b\r\nc: d" } } }, name = { headers = { ["a\r\nb"] = { "c" } } },
	blank = { headers = { ["a b"] = { "c" } } }, void = { headers = { [""] = { "c" } } },
	zero = { headers = { a = { "\0" } } }, reason = { reason = "a\r\nb: c" },
	interim = { status = 101 }, low = { status = 99 }, high = { status = 1000 },
	negative = { status = -1 }, far = { status = math.maxinteger },
}
local many = {}
for i = 1, 3000 do
	many["x-" .. i] = { "value" }
end
bad.many = { headers = many }
for name, reply in pairs(bad) do
	action("bad_" .. name, function(txn) txn:done(reply) end)
end
action("bad_loop", function(txn) -- a table that answers by itself
	txn:done(setmetatable({}, { __index = function() error("no") end }))
end)
action("fits", function(txn) txn:done { body = ("x"):rep(16000) } end)
action("framed", function(txn)
	txn:done { headers = { ["Content-Length"] = { "1" }, ["Transfer-Encoding"] = { "chunked" } },
		body = "framed" }
end)

-- What frames a message.
action("frames", function(txn)
	local h = txn.http
	for _, name in ipairs { "Content-Length", "Transfer-Encoding" } do
		h:req_del_header(name)
		h:req_set_header(name, "1")
		h:req_add_header(name, "2")
		h:req_rep_header(name, ".*", "3")
		h:req_rep_value(name, ".*", "3")
	end
end)
action("frames_res", function(txn)
	local h = txn.http
	for _, name in ipairs { "Content-Length", "Transfer-Encoding" } do
		h:res_del_header(name)
		h:res_set_header(name, "1")
		h:res_add_header(name, "2")
		h:res_rep_header(name, ".*", "3")
	end
	pcall(h.res_set_status, h, 101)
end, { "http-res" })
action("fill", function(txn)
	for i = 1, 1000 do
		txn.http:req_add_header("x-" .. i, ("x"):rep(1000))
		txn.http:req_set_uri("/" .. ("y"):rep(20000))
	end
end)

-- Bounds.
judge("names", function(txn, check)
	local made = 0
	for i = 1, 20000 do
		made = made + (txn:set_var("txn.name_" .. i, 1) and 1 or 0)
	end
	check(made .. " names were made", made <= 10000)
	check("a name that is known", txn:get_var("txn.name_1") == 1)
	check("a fetch makes a name", not pcall(txn.f.var, txn.f, "txn.one_more"))
end)
action("memory", function(txn)
	local t = {}
	while true do
		t[#t + 1] = ("x"):rep(1000) .. #t
	end
end)
action("memory_caught", function(txn)
	for _ = 1, 20 do
		pcall(function()
			local s = "x"
			while true do s = s .. s end
		end)
	end
	txn:done { body = "caught" }
end)
action("fails", function() error("again") end)
action("again", function(txn)
	local n = (txn:get_var("txn.n") or 0) + 1
	txn:set_var("txn.n", n)
	if n < 4 then
		act.wake_time(20)
		return act.YIELD
	end
	txn:done { body = "ran " .. n .. " times" }
end)
action("forever", function() return act.YIELD end, { "http-req", "tcp-req" })
action("waits_res", function()
	core.Alert("a response waits")
	core.sleep(1000)
end, { "http-res" })
action("sleeps", function() core.msleep(100000) end, { "tcp-req", "http-req" })

-- What a script puts into an object, and values that are other ones each time that they are asked for.
judge("odd_handles", function(txn, check)
	local cannot = { io.stdout, core.parse_addr("::1"), {}, "text", 1, coroutine.create(print) }
	local own = txn[0]
	for _, odd in ipairs(cannot) do
		txn[0] = odd
		check("http of another handle: " .. type(odd), txn.http == nil)
		check("get_var of another handle: " .. type(odd), not pcall(txn.get_var, txn, "txn.a"))
	end
	txn[0] = own
	check("its own handle", txn.http and pcall(txn.get_var, txn, "txn.a"))
end)
judge("odd_request", function(txn, check)
	local asked = 0
	local request = setmetatable({}, { __index = function(_, name)
		if name == "url" then
			asked = asked + 1
			return asked == 1 and "http://127.0.0.1:1/" .. ("x"):rep(1000) or nil
		end
	end })
	local ok, said = pcall(function() return core.httpclient():get(request) end)
	check("a request is asked once: " .. tostring(ok and said.status or said), ok and said.status == 503)
	check("no number of ms", pcall(function() core.httpclient():get { url = "http://127.0.0.1:1/", timeout = 0 / 0 } end))
end)
