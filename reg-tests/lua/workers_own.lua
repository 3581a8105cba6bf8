-- SPDX-License-Identifier: BSD-2-Clause
-- Of workers.sh: loaded by each worker.
local before = table.concat({ tostring(Common), tostring(string.of_all), tostring(math.of_all),
	tostring(core.of_all), tostring(package.loaded.a_module_of_all),
	tostring(package.path == "/of/all"), tostring(_G == package.loaded._G),
	tostring(string == package.loaded.string), tostring(package == package.loaded.package) }, " ")

Own = (Own or 0) + 1
string.of_own = function(s) return s .. "?" end
math.of_own = 1
core.of_own = 1
package.loaded.a_module_of_own = {}
package.path = MODULES or package.path
package.preload.own_preload = nil

local function pid()
	local f = io.open("/proc/self/stat")
	local text = f:read("a")
	f:close()
	return text:match("^%d+")
end

core.register_init(function() core.Info("init of own in " .. pid()) end)
core.register_task(function()
	core.Info("task of own in " .. pid() .. " thread " .. core.thread)
	core.register_task(function()
		core.Info("task of a task in " .. pid() .. (" x"):of_own())
	end)
end)
core.register_action("own_before", { "http-req" }, function(txn) txn:set_var("req.said", before) end)
core.register_action("own", { "http-req" }, function(txn)
	Count = (Count or 0) + 1
	txn:set_var("req.said", table.concat({ core.thread, ("x"):of_own(), tostring(Common), Own,
		tostring(load("return Own")()), tostring(load("return Common")()),
		tostring(pcall(function() return ("x"):of_all() end)), type(core.backends.be) }, " "))
end)
core.register_action("own_module", { "http-req" }, function(txn)
	local module = require("a_module")
	module.asked = (module.asked or 0) + 1
	txn:set_var("req.said", module.word .. " " .. module.asked .. " " .. ("x"):of_own())
end)
core.register_action("own_waits", { "http-req" }, function(txn)
	local said = ("x"):of_own()
	core.msleep(1)
	txn:set_var("req.said", said .. ("y"):of_own() .. tostring(Common))
end)
core.register_action("own_fails", { "http-req" }, function() error("boom") end)
core.register_action("own_memory", { "http-req" }, function()
	local t = {}
	while true do t[#t + 1] = ("x"):rep(100000) .. #t end
end)
