-- SPDX-License-Identifier: BSD-2-Clause
-- Endless scripts, memory, threads' states.
local function raw(name, f) core.register_action(name, { "http-req", "http-res", "tcp-req" }, f) end
raw("endless", function() while true do end end)
raw("endless_pcall", function(txn)
	local ok, e = pcall(function() while true do end end)
	txn:set_var("txn.said", shows(ok, e))
end)
raw("endless_yields", function() while true do core.yield() end end)
raw("long_sleeps", function(txn)
	for i = 1, 8 do core.msleep(100) end
	txn:set_var("txn.said", "slept 800 ms")
end)
raw("find", function(txn) txn:set_var("txn.said", "found " .. shows((("a"):rep(30)):find(("a?"):rep(12) .. ("a"):rep(12)))) end)
core.register_fetches("endless", function() while true do end end)
core.register_converters("endless", function() while true do end end)
core.register_service("endless", "http", function() while true do end end)
core.register_service("endless_after", "http", function(applet)
	applet:start_response()
	applet:send("begin\n")
	while true do end
end)
core.register_service("sleeps_long", "http", function(applet)
	core.msleep(800)
	applet:start_response()
	applet:send("slept\n")
end)
core.register_service("t_endless", "tcp", function(applet)
	applet:send("begin\n")
	while true do end
end)
raw("memory", function(txn)
	local t = {}
	for i = 1, 1000 do t[i] = ("x"):rep(100000) .. i end
	txn:set_var("txn.said", "had it all")
end)
raw("memory_pcall", function(txn)
	local ok, e = pcall(function()
		local t = {}
		for i = 1, 1000 do t[i] = ("x"):rep(100000) .. i end
	end)
	txn:set_var("txn.said", shows(ok, e))
end)
case("memory_after", function(txn, say) say("works", #("x"):rep(1000)) end)
core.register_task(function()
	core.msleep(500)
	core.Info("the endless task begins")
	while true do end
end)
