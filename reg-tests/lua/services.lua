-- SPDX-License-Identifier: BSD-2-Clause
-- What services.py asks.
local sent, waiting, ended = 0, 0, 0
local silent = tonumber(os.getenv("SILENT"))

local function answer(applet, text)
	applet:set_status(200)
	applet:add_header("content-length", #text)
	applet:start_response()
	applet:send(text)
end

-- Each step of a long exchange, with waits between them.
core.register_service("steps", "http", function(applet)
	local n = #applet:getline()
	core.msleep(1)
	n = n + #applet:receive(5)
	core.yield()
	n = n + #applet:receive()
	applet:add_header("x-read", n)
	applet:start_response()
	for i = 1, 20 do
		applet:send(("0123456789"):rep(5000))
		core.msleep(1)
	end
end)
core.register_service("t_steps", "tcp", function(applet)
	local line = applet:getline()
	core.msleep(1)
	for i = 1, 20 do
		applet:send(line .. ("0123456789"):rep(5000))
		core.msleep(1)
	end
	applet:receive()
end)

-- More than any buffer takes.
core.register_service("endless", "http", function(applet)
	applet:start_response()
	for i = 1, 3000 do
		applet:send(("0123456789"):rep(10000))
		sent = sent + 100000
	end
end)

-- Scripts that wait for what does not come.
local function waits(how)
	return function(applet)
		local count <close> = setmetatable({}, { __close = function() waiting = waiting - 1 end })
		waiting = waiting + 1
		how(applet)
		ended = ended + 1
		answer(applet, "done\n")
	end
end
core.register_service("wait_time", "http", waits(function() core.sleep(600) end))
core.register_service("wait_body", "http", waits(function(applet) applet:receive() end))
core.register_service("wait_socket", "http", waits(function()
	local s = core.tcp()
	s:connect("127.0.0.1", silent)
	s:receive()
end))

core.register_service("state", "http", function(applet)
	if applet.qs == "collect" then
		collectgarbage()
		collectgarbage()
	end
	answer(applet, sent .. " " .. waiting .. " " .. ended .. " " .. collectgarbage("count"))
end)

-- Objects of an exchange that is over.
local kept
core.register_service("keep", "http", function(applet)
	kept = applet
	answer(applet, "kept")
end)
core.register_service("use_kept", "http", function(applet)
	local said = {}
	for _, name in ipairs { "send", "receive", "getline", "start_response", "get_priv" } do
		local ok = pcall(kept[name], kept, name == "send" and "x" or nil)
		said[#said + 1] = tostring(ok)
	end
	said[#said + 1] = tostring(pcall(function() return kept.f:src() end))
	answer(applet, table.concat(said, " "))
end)

-- What a script may not say.
core.register_service("hostile", "http", function(applet)
	local said = {}
	local function try(f, ...) said[#said + 1] = tostring((pcall(f, applet, ...))) end
	try(applet.add_header, "x\r\ny", "1")
	try(applet.add_header, "x", "1\r\ny: 2")
	try(applet.add_header, "x", "1\0")
	try(applet.add_header, "", "1")
	try(applet.add_header, "a b", "1")
	try(applet.set_status, 200, "a\r\nb: c")
	answer(applet, table.concat(said, " "))
end)
