-- SPDX-License-Identifier: BSD-2-Clause
-- Objects of servers and backends that go. Run by objects.sh.
local held, proxies = {}, {}
local file, free
core.register_init(function()
	file, free = core.backends.be.servers.file, core.backends.free
end)

core.event_sub({ "SERVER_UP" }, function(_, data)
	held[data.name] = data.reference
	proxies[data.proxy_name] = data.reference:get_proxy()
end)

-- Each method of an object; what it says, or the error.
local quiet = { "get_name", "get_puid", "get_stats", "get_weight", "get_addr", "is_draining", "is_dynamic",
	"get_cur_sess", "get_pend_conn", "get_proxy", "get_trackers" }
local of_proxy = { "get_name", "get_uuid", "get_mode", "get_cap", "get_stats", "get_srv_act", "get_srv_bck" }

local function judge(object, methods)
	local good, over, other = 0, 0, {}
	for _, method in ipairs(methods) do
		local ok, said = pcall(object[method], object)
		if ok then good = good + 1
		elseif tostring(said):find("this object is over", 1, true) then over = over + 1
		else other[#other + 1] = method .. ": " .. tostring(said) end
	end
	return good .. " answer, " .. over .. " are over" .. table.concat(other, "; ")
end

core.register_cli({ "object" }, "what an object says", function(applet, _, kind, name)
	local object
	if kind == "held" then object = held[name]
	elseif kind == "file" then object = file
	elseif kind == "proxy" then object = proxies[name]
	elseif kind == "backend" then object = name == "free" and free or core.backends[name] end
	if not object then
		applet:send("there is none\n")
		return
	end
	local is_proxy = kind == "proxy" or kind == "backend"
	applet:send(judge(object, is_proxy and of_proxy or quiet) .. "\n")
end)
core.register_cli({ "called" }, "its name now", function(applet, _, kind, name)
	applet:send((kind == "held" and held[name] or file):get_name() .. "\n")
end)
