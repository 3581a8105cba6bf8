-- SPDX-License-Identifier: BSD-2-Clause
-- Scripts of words.sh.
local arguments = table.pack(...)
local amodule = require("amodule")
Everybodys = "no"

local function action(name, func)
	core.register_action(name, { "http-req" }, func)
end

-- Much in few steps: the time of a script is short here.
action("memory", function()
	local s = ("x"):rep(1000)
	while true do
		s = s .. s
	end
end)
action("session", function()
	while true do end
end)
action("burst", function()
	table.sort({ 3, 2, 1 }, function() while true do end end)
end)
action("bool", function(txn)
	txn:set_var("txn.said", tostring(txn.f:always_true()))
end)
action("arguments", function(txn)
	txn:set_var("txn.said", arguments.n .. " " .. arguments[1] .. " " .. arguments[2])
end)
action("module", function(txn)
	txn:set_var("txn.said", amodule.word)
end)
-- Others go first behind the 500 instructions of a stretch, and not before.
action("turns", function(txn)
	local went, n = false, 0
	core.register_task(function() went = true end)
	while not went and n < 100000 do
		n = n + 1
	end
	txn:set_var("txn.said", tostring(n))
end)
core.register_service("forever", "http", function()
	while true do end
end)
core.register_task(function()
	while true do end
end)
