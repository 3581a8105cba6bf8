-- SPDX-License-Identifier: BSD-2-Clause
-- Init functions, tasks, commands.
local order = {}
core.register_init(function()
	order[#order + 1] = "init 1, thread " .. core.thread .. ", proxies " .. type(core.proxies) .. ", backend " .. type(core.backends["be"])
	core.Info("Info in an init function")
	local ok, e = pcall(function() return Map.new("some.map", Map._str) end)
	order[#order + 1] = "map in init " .. (ok and "made" or tostring(e))
	order[#order + 1] = "sleep in init " .. shown(core.msleep, 1)
end)
core.register_init(function() order[#order + 1] = "init 2" end)
core.register_init(function() order[#order + 1] = "returned" return false end)
order[#order + 1] = "body"
case("order", function(txn, say)
	for i, v in ipairs(order) do say(i, v) end
end)
local ran = {}
core.register_task(function(...)
	core.msleep(500)
	ran[#ran + 1] = "first task, arguments " .. select("#", ...) .. ", thread " .. core.thread
	core.msleep(5)
	ran[#ran + 1] = "slept"
	core.yield()
	ran[#ran + 1] = "yielded"
	local s = core.tcp()
	s:settimeout(3)
	ran[#ran + 1] = "connect " .. shows(s:connect("127.0.0.1", tonumber(os.getenv("ORIGIN_PORT"))))
	s:send("from a task\n")
	ran[#ran + 1] = "received " .. shows(s:receive())
	s:close()
	local r = core.httpclient():get { url = "http://127.0.0.1:" .. os.getenv("ORIGIN_PORT") .. "/task" }
	ran[#ran + 1] = "status " .. r.status
	core.register_task(function() core.Info("a task of a task") end)
	core.Info("the first task ends")
end)
core.register_task(function()
	core.msleep(500)
	core.Info("the second task fails")
	error("boom")
end)
core.register_task(function() core.done() end)
case("task_ran", function(txn, say)
	for i, v in ipairs(ran) do say(i, v) end
end)
case("task_later", function(txn, say, try)
	local n = 0
	try("register", core.register_task, function() n = n + 1 core.Info("a task of an action") end)
	for i = 1, 100 do
		if n > 0 then break end
		core.msleep(5)
	end
	say("ran", n)
end)
-- Commands.
core.register_cli({ "lua", "hello" }, "what it says", function(applet, ...)
	applet:send("hello " .. shows(...) .. "\n")
end)
core.register_cli({ "lua", "none" }, "says nothing", function(applet) end)
core.register_cli({ "lua", "fails" }, "fails", function(applet)
	applet:send("before\n")
	error("boom")
end)
core.register_cli({ "lua", "sleeps" }, "sleeps", function(applet)
	applet:send("one\n")
	core.msleep(20)
	applet:send("two\n")
end)
core.register_cli({ "lua", "reads" }, "reads", function(applet)
	applet:send(shows(applet:getline()) .. "\n")
end)
core.register_cli({ "lua", "members" }, "members", function(applet)
	local words = {}
	for k, v in pairs(applet) do words[#words + 1] = tostring(k) .. ":" .. type(v) end
	for k, v in pairs(methods_of(applet)) do words[#words + 1] = tostring(k) .. ":" .. type(v) end
	table.sort(words)
	applet:send(table.concat(words, " ") .. "\n" .. tostring(applet):gsub("0x%x+", "") .. "\n")
end)
core.register_cli({ "lua", "no_end" }, "no end of line", function(applet) applet:send("text") end)
core.register_cli({ "lua", "large" }, "much", function(applet) applet:send(("0123456789"):rep(5000) .. "\n") end)
core.register_cli({ "lua", "returns" }, "returns", function(applet) applet:send("x\n") return 5 end)
core.register_cli({ "show", "lua-thing" }, "a show", function(applet, ...) applet:send("thing " .. shows(...) .. "\n") end)
core.register_cli({ "one", "two", "three", "four", "five" }, "five words", function(applet, ...) applet:send("five " .. shows(...) .. "\n") end)
core.register_cli({ "word" }, "one word", function(applet, ...) applet:send("word " .. shows(...) .. "\n") end)
core.register_cli({ "lua", "socket" }, "opens", function(applet)
	local s = core.tcp()
	s:settimeout(3)
	s:connect("127.0.0.1", tonumber(os.getenv("ORIGIN_PORT")))
	s:send("from the CLI\n")
	applet:send(shows(s:receive()) .. "\n")
	s:close()
end)
core.register_cli({ "lua", "done" }, "core.done", function(applet)
	applet:send("before\n")
	core.done()
	applet:send("after\n")
end)
core.register_cli({ "lua", "calls" }, "fetches and converters", function(applet)
	local function say(of, name, ...)
		applet:send(name .. " " .. of .. " " .. shown(applet[of][name] or nil, applet[of], ...) .. "\n")
	end
	for _, of in ipairs { "f", "sf" } do
		for _, name in ipairs { "src", "src_is_local", "fe_name", "nbproc", "always_true", "sc0_conn_cnt", "unique_id", "stopping",
			"ssl_fc", "method", "path", "req_ver", "status", "base", "be_name", "lua_no_such" } do say(of, name) end
		say(of, "str", "hello") say(of, "bool", "true") say(of, "bin", "6162") say(of, "meth", "GET")
		say(of, "var", "proc.for_cli") say(of, "req_hdr", "x") say(of, "nbsrv") say(of, "str")
	end
	for _, of in ipairs { "c", "sc" } do
		say(of, "lower", "ABC") say(of, "base64", "abc") say(of, "regsub", "aXb", "X", "-") say(of, "field", "a,b", 2, ",")
		say(of, "ipmask", "192.0.2.1", 24) say(of, "json_query", '{"a":1}', "$.a") say(of, "no_such", "x")
		say(of, "set_var", "set", "proc.for_cli") say(of, "concat", "a", "<", "proc.for_cli", ">") say(of, "set_var", "x", "txn.x")
		say(of, "field", "a,b") say(of, "lower")
	end
	Kept_f, Kept_c = applet.f, applet.c
	applet:send(type(applet.f) .. " " .. tostring(applet.f == applet.f) .. "\n")
end)
core.register_cli({ "lua", "vars" }, "variables", function(applet)
	applet:send(shown(applet.set_var, applet, "proc.by_cli", 5) .. " " .. shown(applet.get_var, applet, "proc.by_cli") .. " " ..
		shown(function() return applet.f:src() end) .. "\n")
end)
