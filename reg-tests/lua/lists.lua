-- SPDX-License-Identifier: BSD-2-Clause
-- core.backends and its like while servers and backends come and go. Run by lists.sh.
local function names(list)
	local found = {}
	for name, object in pairs(list) do
		found[#found + 1] = name .. (object:get_name() == name and "" or "?")
	end
	table.sort(found)
	return table.concat(found, " ")
end

local held = {}      -- objects that a script keeps
local walks = {}     -- coroutines in the middle of pairs()

local commands = {
	list = function(which, backend)
		local list = core[which]
		if backend then list = list[backend].servers end
		return names(list)
	end,
	get = function(backend, server)
		local object = core.backends[backend]
		if object and server then object = object.servers[server] end
		return object and object:get_name() or tostring(object)
	end,
	hold = function(backend, server)
		local object = core.backends[backend]
		held[server and backend .. "/" .. server or backend] = server and object.servers[server] or object
		held[backend .. "/*"] = object.servers
		return "held"
	end,
	held = function(name)
		return held[name]:get_name()
	end,
	find = function(name, key)
		return tostring(held[name][key])
	end,
	walk_held = function(name)
		return names(held[name])
	end,
	same = function(backend)
		local object = core.backends[backend]
		object.mine = object.mine or "mine"
		object = nil
		collectgarbage()
		collectgarbage()
		return tostring(core.backends[backend] == core.backends[backend]) .. " " ..
			tostring(core.proxies[backend].servers == core.proxies[backend].servers) .. " " ..
			tostring(core.backends[backend].mine)
	end,
	begin = function(name, which, backend)
		local list = core[which]
		if backend then list = list[backend].servers end
		walks[name] = coroutine.wrap(function()
			for found in pairs(list) do coroutine.yield(found) end
			return "end"
		end)
		return walks[name]()
	end,
	step = function(name)
		return walks[name]()
	end,
}

core.register_cli({ core.thread == 0 and "all" or "own" }, "of proxies and servers", function(applet, _, what, ...)
	local good, said = pcall(commands[what], ...)
	applet:send(tostring(said):gsub("^[^ ]*:%d+: ", "") .. "\n")
end)
