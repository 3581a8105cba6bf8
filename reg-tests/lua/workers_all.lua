-- SPDX-License-Identifier: BSD-2-Clause
-- Of workers.sh: loaded once, for all workers.
local function pid()
	local f = io.open("/proc/self/stat")
	local text = f:read("a")
	f:close()
	return text:match("^%d+")
end

-- What files of the worker must not see.
Common = (Common or 0) + 1
string.of_all = function(s) return s .. "!" end
math.of_all = 1
package.loaded.a_module_of_all = {}
package.path = "/of/all"
core.of_all = 1

core.register_init(function() core.Info("init of all") end)
-- One that is killed in the middle begins anew elsewhere: n is 1 there.
core.register_task(function()
	core.Info("task of all begins in " .. pid())
	local n = 0
	while true do
		n = n + 1
		core.Info("beat of all " .. pid() .. " " .. n)
		core.msleep(20)
	end
end)
-- One that ends does so once.
core.register_task(function()
	core.Info("short task of all")
end)

core.register_action("all", { "http-req" }, function(txn)
	Count = (Count or 0) + 1
	txn:set_var("req.said", table.concat({ core.thread, ("x"):of_all(), Common,
		tostring(Own), tostring(string.of_own), tostring(math.of_own),
		tostring(core.of_own), tostring(package.loaded.a_module_of_own),
		tostring(load("return Common")()), tostring(pcall(function() return ("x"):of_own() end)),
		type(core.backends.be) }, " "))
end)
core.register_action("set", { "http-req" }, function(txn)
	txn:set_var("proc.by_script", txn.f:url_param("value"))
end)
core.register_action("unset", { "http-req" }, function(txn)
	txn:unset_var("proc.by_script")
end)
core.register_cli({ "all", "set" }, "sets a variable of the process", function(applet, _, _, value)
	applet:set_var("proc.by_script", value)
end)
core.register_action("all_fails", { "http-req" }, function() error("boom") end)
core.register_converters("of_all", function(s) return s:of_all() end)
