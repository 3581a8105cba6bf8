-- SPDX-License-Identifier: BSD-2-Clause
-- Actions: where they are, what they return, errors, ends, yields.
core.Info("in the body")
local body = { thread = core.thread, levels = {} }
for _, name in ipairs { "emerg", "alert", "crit", "err", "warning", "notice", "info", "debug" } do
	body.levels[name] = core[name]
end
local function kept(f, ...) -- what a call in the body does
	local r = table.pack(pcall(f, ...))
	return shows(table.unpack(r, 1, r.n))
end
body.twice = kept(function()
	core.register_action("twice", { "http-req" }, function() end)
	core.register_action("twice", { "http-req" }, function() end)
end)
for name, words in pairs {
	none = {}, number = { 1 }, one = { "x" }, string = { "x", "http-req" }, nofunc = { "x", { "http-req" } },
	wrong = { "x", { "http-foo" }, function() end }, empty = { "e", {}, function() end },
	number_env = { "x", { 1 }, function() end },
	nb = { "n", { "http-req" }, function() end, "x" }, negative = { "n2", { "http-req" }, function() end, -1 },
	nb_string = { "n3", { "http-req" }, function() end, "1" },
	nb_many = { "n4", { "http-req" }, function() end, 20 },
	float = { "n5", { "http-req" }, function() end, 1.5 },
	six = { "n6", { "http-req" }, function() end, 1, 2 },
	space = { "a b", { "http-req" }, function() end }, void = { "", { "http-req" }, function() end },
	after = { "after", { "http-after-res" }, function() end },
	conn = { "conn", { "tcp-req-conn" }, function() end },
	check = { "check", { "http-check" }, function() end },
	upper = { "upper", { "HTTP-REQ" }, function() end },
} do
	body["reg_" .. name] = kept(core.register_action, table.unpack(words))
end
body.sleep = kept(core.msleep, 1)
body.yield = kept(core.yield)
body.done = kept(function() return type(core.done) end)
body.tcp = kept(function() return type(core.tcp()) end)
body.proxies = kept(function() return type(core.proxies), next(core.proxies or {}) end)
body.info = kept(function() return type(core.get_info()) end)
body.now = kept(function() return type(core.now().sec) end)

case("body_registrations", function(txn, say)
	local names = {}
	for name in pairs(body) do
		names[#names + 1] = name
	end
	table.sort(names)
	for _, name in ipairs(names) do
		say(name, body[name])
	end
end)
case("core_members", function(txn, say)
	local names = {}
	for name, v in pairs(core) do
		names[#names + 1] = name .. ":" .. type(v)
	end
	table.sort(names)
	for _, name in ipairs(names) do
		say(name)
	end
end)
case("globals", function(txn, say)
	local names = {}
	for name, v in pairs(_G) do
		if not ("show shows shown case methods_of"):find(name) then
			names[#names + 1] = name .. ":" .. type(v)
		end
	end
	table.sort(names)
	for _, name in ipairs(names) do
		say(name)
	end
	local function members(x)
		local words = {}
		for name, v in pairs(x) do
			words[#words + 1] = name .. ":" .. (type(v) == "number" and tostring(v) or type(v))
		end
		table.sort(words)
		return table.concat(words, " ")
	end
	for _, name in ipairs { "act", "filter", "Map", "Regex", "CertCache" } do
		say(name, members(_G[name] or {}))
		say(name .. " meta", members(getmetatable(_G[name]) or {}))
	end
end)
case("txn_members", function(txn, say)
	local function members(name, x)
		local words = {}
		for k, v in pairs(x) do
			words[#words + 1] = tostring(k) .. ":" .. type(v)
		end
		local meta = getmetatable(x)
		if type(meta) == "table" then
			for k, v in pairs(meta) do
				words[#words + 1] = "meta " .. tostring(k) .. ":" .. type(v)
			end
			for k, v in pairs(type(meta.__index) == "table" and meta.__index or {}) do
				words[#words + 1] = "index " .. tostring(k) .. ":" .. type(v)
			end
		end
		table.sort(words)
		say(name, table.concat(words, " "))
	end
	members("txn", txn)
	for _, name in ipairs { "req", "res", "http" } do
		members(name, txn[name])
	end
	say("f", getmetatable(txn.f) ~= nil, type(txn.f.src), type(txn.f.nosuch))
	say("c", type(txn.c.lower), type(txn.c.nosuch))
	say("http_req", txn.http_req)
	say("names", tostring(txn):gsub("0x%x+", ""), (tostring(txn.http):gsub("0x%x+", "")))
end)
case("members_after_write", function(txn, say, try)
	try("new member", function() txn.mine = 5 return txn.mine end)
	try("f is kept", function() return txn.f == txn.f end)
	try("set method", function() txn.get_priv = nil return type(txn.get_priv) end)
end)

-- Environments and arguments.
local function plain(name, where, nb)
	case(name, function(txn, say, try, ...)
		say("arguments", ...)
	end, where, nb)
end
plain("env_http_req", { "http-req" })
plain("env_http_res", { "http-res" })
plain("env_both", { "http-req", "http-res", "tcp-req", "tcp-res" })
plain("env_tcp_req", { "tcp-req" })
plain("env_tcp_res", { "tcp-res" })
plain("args1", { "http-req" }, 1)
plain("args3", { "http-req" }, 3)
plain("args3t", { "tcp-req" }, 3)

-- What is returned, in each list of rules.
local all = { "http-req", "http-res", "tcp-req", "tcp-res" }
for _, name in ipairs { "CONTINUE", "STOP", "ERROR", "DONE", "DENY", "ABORT", "INVALID" } do
	core.register_action("ret_" .. name, all, function() return act[name] end)
end
for name, value in pairs { string = "x", digits = "5", truth = true, tab = {}, float = 5.0,
	half = 5.5, big = 99, neg = -1 } do
	core.register_action("ret_" .. name, all, function() return value end)
end
core.register_action("ret_two", all, function() return act.DENY, act.CONTINUE end)
core.register_action("ret_nothing", all, function() end)
core.register_action("ret_nil", all, function() return nil end)
core.register_action("ret_yield", all, function(txn)
	local n = (txn:get_var("txn.n") or 0) + 1
	txn:set_var("txn.n", n)
	if n < 3 then
		act.wake_time(5)
		return act.YIELD
	end
	txn:set_var("txn.said", "ran " .. n .. " times")
end)

-- Errors.
local function raw(name, f, where)
	core.register_action(name, where or all, f)
end
raw("err_string", function() error("a string") end)
raw("err_level0", function() error("a string", 0) end)
raw("err_empty", function() error("", 0) end)
raw("err_table", function() error({ code = 7 }) end)
raw("err_tostring", function() error(setmetatable({}, { __tostring = function() return "shown" end })) end)
raw("err_nil", function() error() end)
raw("err_number", function() error(42) end)
raw("err_bool", function() error(true) end)
raw("err_nilcall", function() local x; x() end)
raw("err_index", function(txn) local x; return x.y end)
raw("err_method", function(txn) txn:nosuch() end)
raw("err_newline", function(txn) error("two\nlines", 0) end)
raw("err_arith", function(txn) return {} + 1 end)
raw("err_in_xpcall", function(txn)
	local ok, e = xpcall(function() error("inner") end, function(m) return "handled " .. m end)
	txn:set_var("txn.said", tostring(ok) .. " " .. e)
end)
raw("err_assert", function() assert(false, "asserted") end)
raw("err_assert_nil", function() assert(nil) end)
raw("err_long", function() error(("x"):rep(3000), 0) end)
raw("set_then_err", function(txn)
	txn:set_var("txn.said", "set before")
	error("late")
end)

-- txn:done.
raw("done_bare", function(txn)
	txn:done()
	txn:set_var("txn.said", "after done")
end)
local replies = {
	empty = {}, status = { status = 404 }, reason = { status = 404, reason = "Gone fishing" },
	body = { body = "text\n" }, headers = { headers = { ["X-Bc"] = { "1", "2" } } },
	header_string = { headers = { ["x-a"] = "1" } }, header_zero = { headers = { ["x-a"] = { [0] = "zero", "one" } } },
	length = { headers = { ["content-length"] = { "5" } }, body = "text\n" },
	wrong_length = { headers = { ["content-length"] = { "2" } }, body = "text\n" },
	chunked = { headers = { ["transfer-encoding"] = { "chunked" } }, body = "text\n" },
	number_body = { body = 12 }, table_body = { body = {} }, status_string = { status = "404" },
	status_word = { status = "x" }, status_high = { status = 600 },
	status_999 = { status = 999 }, status_204 = { status = 204, body = "x" },
	status_304 = { status = 304 },
	status_418 = { status = 418 }, reason_only = { reason = "Why not" },
	reason_number = { reason = 5 }, header_number = { headers = { ["x-a"] = { 5 } } },
	header_bool = { headers = { ["x-a"] = { true } } }, header_list = { headers = { "a: b" } },
	headers_string = { headers = "x" }, header_line = { headers = { ["x-a"] = { "a\r\nb: c" } } },
	header_bad_name = { headers = { ["x a"] = { "1" } } }, header_empty = { headers = { ["x-a"] = { "" } } },
	large = { body = ("0123456789"):rep(2000) }, fits = { body = ("0123456789"):rep(1400) },
	unknown = { nosuch = 1 }, connection = { headers = { connection = { "close" } } },
}
for name, reply in pairs(replies) do
	raw("done_" .. name, function(txn) txn:done(reply) end)
end
raw("done_string", function(txn) txn:done("text") end)
raw("done_number", function(txn) txn:done(404) end)
raw("done_nil", function(txn) txn:done(nil) end)
raw("done_reply_class", function(txn)
	local r = txn:reply { status = 401, body = "x" }
	r:add_header("x-a", "1")
	r:add_header("x-a", "2")
	r:add_header("x-b", "3")
	r:del_header("x-b")
	r:set_status(402)
	r:set_body("class\n")
	txn:done(r)
end)
case("reply_class", function(txn, say, try)
	local r = txn:reply()
	say("new", r)
	r:set_status(404)
	say("status", r.status, r.reason)
	r:set_status(404, "Why")
	say("status", r.status, r.reason)
	r:set_status(799)
	say("status", r.status, r.reason)
	try("bad status", r.set_status, r, "x")
	try("no status", r.set_status, r)
	try("digits", r.set_status, r, "404")
	say("status", r.status, r.reason)
	r:add_header("A", "1")
	r:add_header("a", "2")
	r:add_header("A", 3)
	say("headers", r.headers)
	r:del_header("a")
	say("headers", r.headers)
	try("del none", r.del_header, r, "none")
	try("add nothing", r.add_header, r, "x")
	try("add nil", r.add_header, r, "x", nil)
	try("add table", r.add_header, r, "x", {})
	try("body nil", r.set_body, r)
	try("body number", r.set_body, r, 5)
	say("body", r.body)
	say("given", txn:reply { status = 404, headers = { a = { "b" } }, body = "c", more = 1 })
	try("wrong argument", txn.reply, txn, "x")
	try("wrong status", txn.reply, txn, { status = "x" })
	try("wrong headers", txn.reply, txn, { headers = "x" })
	try("wrong header", txn.reply, txn, { headers = { a = "x" } })
	try("two arguments", txn.reply, txn, {}, {})
	local words = {}
	for k, v in pairs(methods_of(r)) do
		words[#words + 1] = tostring(k) .. ":" .. type(v)
	end
	table.sort(words)
	say("members", table.concat(words, " "))
end)
raw("core_done", function(txn)
	txn:set_var("txn.said", "before")
	core.done()
	txn:set_var("txn.said", "after")
end)
raw("core_done_deny", function(txn)
	core.done(act.DENY)
end)
raw("core_done_args", function(txn)
	txn:set_var("txn.said", "before")
	core.done(1, 2, 3)
end)
raw("core_done_in_pcall", function(txn)
	local ok, e = pcall(core.done)
	txn:set_var("txn.said", "pcall " .. show(ok) .. " " .. show(e))
end)
case("wake_time", function(txn, say, try)
	try("with a colon", act.wake_time, act, 5)
	try("no argument", act.wake_time)
	try("word", act.wake_time, "x")
	try("zero", act.wake_time, 0)
	try("number", act.wake_time, 5)
end)
case("txn_deny", function(txn, say, try)
	try("deny", function() txn:deny() end)
	try("close", function() txn:close() end)
end)

-- Yields and sleeps.
case("sleeps", function(txn, say, try)
	local from = core.now()
	core.msleep(60)
	local now = core.now()
	local ms = (now.sec - from.sec) * 1000 + (now.usec - from.usec) / 1000
	say("slept", ms >= 59 and ms < 2000)
	try("zero", core.msleep, 0)
	try("sleep zero", core.sleep, 0)
	try("no argument", core.msleep)
	try("word", core.msleep, "x")
	try("digits", core.msleep, "1")
	try("float", core.msleep, 1.5)
	try("float sleep", core.sleep, 0.01)
	try("table", core.sleep, {})
	try("yield", core.yield)
	try("yield with values", core.yield, 1, 2)
end)
case("sleep_one", function(txn, say, try)
	local from = core.now()
	core.sleep(1)
	local now = core.now()
	local ms = (now.sec - from.sec) * 1000 + (now.usec - from.usec) / 1000
	say("slept", ms >= 999 and ms < 3000)
end)
case("pcall_sleep", function(txn, say, try)
	say("pcall", pcall(function()
		core.msleep(5)
		return 1, 2
	end))
	say("nested", pcall(pcall, pcall, function()
		core.msleep(5)
		error("after sleep", 0)
	end))
	say("xpcall", xpcall(function()
		core.msleep(5)
		error("x", 0)
	end, function(m) return "handled " .. m end))
end)
case("coroutines", function(txn, say, try)
	local co = coroutine.create(function(a)
		local b = coroutine.yield(a + 1)
		return b * 2
	end)
	say("first", coroutine.resume(co, 1))
	say("second", coroutine.resume(co, 10))
	say("status", coroutine.status(co))
	say("third", coroutine.resume(co))
	local wrapped = coroutine.wrap(function() error("inside", 0) end)
	say("wrap", pcall(wrapped))
	say("running", type(coroutine.running()), select(2, coroutine.running()), coroutine.isyieldable())
end)
case("coroutine_sleep", function(txn, say, try)
	local co = coroutine.create(function()
		core.msleep(5)
		return "end"
	end)
	say("first", coroutine.resume(co))
	say("status", coroutine.status(co))
	say("second", coroutine.resume(co))
end)
case("yield_loop", function(txn, say, try)
	for i = 1, 100 do
		core.yield()
	end
	say("end")
end)
case("long_loop", function(txn, say, try)
	local n = 0
	for i = 1, 3000000 do
		n = n + i
	end
	say("n", n)
end)
case("sort_yields", function(txn, say, try)
	local t = {}
	for i = 1, 20000 do
		t[i] = (i * 7919) % 20011
	end
	table.sort(t)
	say("first", t[1], t[2], t[20000])
	try("yield in sort", table.sort, { 3, 2, 1 }, function(a, b)
		core.yield()
		return a < b
	end)
	try("yield in gsub", string.gsub, "abc", "b", function(c) core.msleep(1) return "x" end)
end)
case("shared_state", function(txn, say, try)
	counter = (counter or 0) + 1
	say("counter", counter)
	local own = (own or 0) + 1
	say("own", own)
end)
case("libraries", function(txn, say, try)
	say("version", (_VERSION:gsub("5%.%d", "5.x")))
	say("string", ("x"):rep(3), string.format("%d %s", 1, "a"))
	say("os", type(os.time()), type(os.getenv("FOLDER")), type(os.execute), type(os.exit))
	say("io", type(io.open), type(io.popen))
	say("require", type(require), package.path:match("^[^;]*"))
	try("module", require, "helper")
	try("no module", function() return pcall(require, "nosuchmodule") == false end)
	say("debug", type(debug.traceback))
	say("load", load("return 1 + 1")())
end)
-- In tcp.
raw("tcp_said", function(txn)
	txn:set_var("txn.said", shows(type(txn.req), type(txn.res), type(txn.http), txn.f:src(), txn.f:src_port()))
end)
raw("tcp_done", function(txn) txn:done() end)
raw("tcp_done_reply", function(txn) txn:done { status = 404, body = "x" } end)
raw("tcp_wrote", function(txn) txn.res:send("hello\n") txn:done() end)
raw("tcp_wait", function(txn)
	core.msleep(30)
	txn:set_var("txn.said", "slept")
end)
