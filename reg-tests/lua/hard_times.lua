-- SPDX-License-Identifier: BSD-2-Clause
-- Scripts of hard_times.sh.
local silent = tonumber(os.getenv("SILENT"))
local released = false -- sockets that are held may be closed

local function action(name, func)
	core.register_action(name, { "http-req" }, func)
end

-- As many sockets as there are: how many, and what the first one says that is none.
action("open", function(txn)
	local open, said = {}, nil
	for i = 1, 1000 do
		local s = core.tcp()
		s:settimeout(30)
		local ok, error = s:connect("127.0.0.1", silent)
		if not ok then
			said = error
			break
		end
		open[i] = s
	end
	txn:set_var("req.said", #open .. " " .. tostring(said))
	while txn.f:url_param("hold") and not released do core.msleep(20) end
	for _, s in ipairs(open) do s:close() end
end)
action("release", function() released = true end)
-- Sockets that nobody closes go with the garbage.
action("leave", function(txn)
	for _ = 1, 20 do
		core.tcp():connect("127.0.0.1", silent)
	end
	collectgarbage()
end)
action("sleep", function(txn)
	local began = core.now().sec
	core.msleep(300)
	txn:set_var("req.said", tostring(core.now().sec - began))
end)
action("socket", function(txn)
	local s = core.tcp()
	s:settimeout(1)
	s:connect("127.0.0.1", silent)
	txn:set_var("req.said", tostring(select(2, s:receive())))
	s:close()
end)
action("work", function(txn)
	local t = {}
	for i = 1, 3000 do t[i] = tostring(i) end
	core.yield()
	txn:set_var("req.said", tostring(#table.concat(t)))
end)
Ticks = 0
core.register_task(function()
	while true do
		core.msleep(50)
		Ticks = Ticks + 1
	end
end)
action("ticks", function(txn) txn:set_var("req.said", tostring(Ticks)) end)
