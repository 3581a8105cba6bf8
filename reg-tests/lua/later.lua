-- SPDX-License-Identifier: BSD-2-Clause
-- Functions of later versions, for later.py: a command "lua WORDS" of the stats socket runs each.
local map, acl = ...

local function show(v)
	if type(v) ~= "table" then return tostring(v) end
	local words = {}
	for k, x in pairs(v) do words[#words + 1] = tostring(k) .. "=" .. tostring(x) end
	table.sort(words)
	return "{" .. table.concat(words, " ") .. "}"
end

-- A command of one word; what the function returns, or its error, is the answer.
local function command(name, f)
	core.register_cli({ "lua", name }, "", function(applet, _, _, ...)
		local r = table.pack(pcall(f, applet, ...))
		for i = 1, r.n do r[i] = show(r[i]) end
		applet:send(table.concat(r, " ", r[1] == "true" and 2 or 1, r.n) .. "\n")
	end)
end

local refs, first = {}, {}
local function ref(name)
	refs[name] = refs[name] or core.get_patref(name == "map" and map or name == "acl" and acl or name)
	return refs[name]
end
first.files = select(2, pcall(core.get_patref, map))
core.register_init(function()
	local r = core.get_patref(map)
	first.add = r:add("init", "made")
	r:prepare()
	first.bulk = r:add_bulk { init = "bulk", other = "bulk" }
	first.commit = r:commit()
	first.del = r:del("other")
	local many = {}
	for i = 1, 3000 do many["many" .. i] = tostring(i) end
	r:prepare()
	r:add_bulk(many)
	first.there = r.many3000
	r:giveup()
end)
command("first", function(_, what) return first[what] end)
for _, name in ipairs { "get_name", "is_map", "add", "set", "del", "purge", "prepare", "commit", "giveup" } do
	command(name, function(_, where, ...)
		local r = ref(where)
		return r[name](r, ...)
	end)
end
command("force", function(_, where, key, value) return ref(where):set(key, value, true) end)
command("forget", function(_, where) refs[where] = nil end)
command("get", function(_, where, key) return ref(where)[key] end)
command("all", function(_, where)
	local found = {}
	for k, v in pairs(ref(where)) do found[#found + 1] = k .. "=" .. tostring(v) end
	table.sort(found)
	return #found > 20 and #found or table.concat(found, " ")
end)
command("bulk", function(_, where, count, bad)
	local many, r = {}, ref(where)
	for i = 1, tonumber(count) do
		if r:is_map() then many["key" .. i] = "value" .. i else many[i] = "/path" .. i end
	end
	if bad then many[bad] = {} end
	return r:add_bulk(many)
end)
command("walk", function()
	local r, seen = ref("map"), 0
	for k in pairs(r) do
		seen = seen + 1
		r:del(k) -- while it is walked through
	end
	return seen, show(r)
end)
command("types", function()
	local r, said = ref("map"), {}
	for _, call in ipairs { { r.add, r }, { r.add, r, "k" }, { r.add, r, {} , "v" }, { r.add, r, "a\0b", "v" },
		{ r.set, r, "k" }, { r.del, r }, { r.add_bulk, r, 5 }, { r.add_bulk, r, { [""] = "x" } },
		{ r.add_bulk, r, { k = "a\0" } }, { r.add, {}, "a", "b" }, { core.get_patref }, { core.get_patref, "nosuch" },
		{ core.get_patref, "#0" } } do
		said[#said + 1] = (select(2, pcall(table.unpack(call))))
	end
	return table.concat(said, "\n")
end)
core.register_fetches("patref_add", function(txn)
	local ok, e = pcall(function() return core.get_patref(map):add("x", "y") end)
	return ok and "added" or e
end)
core.register_fetches("patref_get", function(txn) return tostring(core.get_patref(map)[txn.f:url_param("key")]) end)

command("var", function(_, name) return core.get_var(name) end)

-- Alarms of queues.
local jobs, news, told = core.queue(), core.queue(), {}
core.register_task(function()
	while true do
		jobs:alarm()
		jobs:alarm()
		news:alarm()
		core.wait()
		local job, new = jobs:pop(), news:pop()
		told[#told + 1] = tostring(job) .. "/" .. tostring(new)
	end
end)
command("push", function(_, where, value) return (where == "jobs" and jobs or news):push(value) end)
command("told", function() return table.concat(told, " ") end)
command("wait", function(_, ms)
	local begun = core.now()
	core.wait(tonumber(ms))
	local now = core.now()
	-- The clock of timers counts whole ms, so up to one ms less than was asked for may have passed.
	local us = (now.sec - begun.sec) * 1000000 + now.usec - begun.usec
	return us > (tonumber(ms) - 1) * 1000 or us
end)
command("rung", function() -- before it waits
	local q = core.queue()
	q:alarm()
	q:push(1)
	core.wait(60000)
	return "at once"
end)
command("garbage", function()
	for i = 1, 100 do
		local q = core.queue()
		q:alarm()
		local co = coroutine.create(function() q:pop_wait() end)
		if i % 2 == 0 then q:push(i) coroutine.resume(co) end
	end
	collectgarbage()
	collectgarbage()
	return "gone"
end)

-- Events: what this process is told.
local events = {}
core.event_sub({ "SERVER" }, function(type, data) events[#events + 1] = type .. ":" .. data.name end)
command("events", function() return table.concat(events, " ") end)
command("maint", function() core.proxies.be.servers.s1:set_maint() return "done" end)
command("ready", function() core.proxies.be.servers.s1:set_ready() return "done" end)
command("slow", function() -- one that is slower than what happens
	local s, sub = core.proxies.be.servers.s1
	sub = core.event_sub({ "SERVER_ADMIN" }, function() core.msleep(60000) end)
	for i = 1, 1100 do if i % 2 == 1 then s:set_maint() else s:set_ready() end end
	sub:unsub()
	return "done"
end)

-- Changes of files of patterns: what this process is told.
local changes, unsubscribe = { map = {}, acl = {} }, {}
core.register_init(function()
	ref("map"):event_sub({ "PAT_REF" }, function(type, data, sub, when)
		table.insert(changes.map, (type:gsub("PAT_REF_", "")) .. (data == nil and when > 0 and "" or "?"))
	end)
	unsubscribe.acl = ref("acl"):event_sub({ "PAT_REF_ADD", "PAT_REF_COMMIT" }, function(type, _, sub)
		table.insert(changes.acl, type)
		if type == "PAT_REF_COMMIT" then sub:unsub() end
	end)
end)
command("changes", function(_, where) return table.concat(changes[where], " ") end)
command("kinds", function()
	local said = {}
	local function try(f, ...) said[#said + 1] = tostring(select(2, pcall(f, ...))) end
	local r, s, nothing = ref("map"), core.proxies.be.servers.s1, function() end
	try(r.event_sub, r, { "SERVER" }, nothing)
	try(r.event_sub, r, { "SERVER_UP", "PAT_REF_ADD" }, nothing)
	try(core.event_sub, { "PAT_REF" }, nothing)
	try(s.event_sub, s, { "PAT_REF_SET" }, nothing)
	try(r.event_sub, r, { "PAT_REF_X" }, nothing)
	try(r.event_sub, r, {}, nothing)
	try(r.event_sub, r, { "PAT_REF" })
	return table.concat(said, "\n")
end)

core.register_fetches("servers", function(txn)
	local said = {}
	for _, name in ipairs { "srv_conn", "srv_conn_free", "srv_is_up", "srv_queue", "srv_sess_rate", "srv_weight", "srv_iweight",
		"srv_uweight" } do
		said[#said + 1] = tostring(txn.f[name](txn.f, "be/s1"))
	end
	return table.concat(said, " ")
end)

-- What follows the line of a command.
core.register_cli({ "lua", "reads" }, "", function(applet)
	applet:send("begun\n")
	local said = { applet:getline(), applet:receive(2), applet:receive(0), applet:getline(), applet:getline(), applet:receive() }
	said[#said + 1] = applet:getline() .. applet:receive(5)
	for i, s in ipairs(said) do said[i] = ("%q"):format(s):gsub("\\\n", "\\n") end
	applet:send(table.concat(said, " ") .. "\n")
end)
-- What its fetches and converters know.
local kept
core.register_cli({ "lua", "calls" }, "", function(applet)
	local ok, said = pcall(function()
		applet.c:set_var("kept", "txn.v")
		return show { applet.f:src_is_local(), applet.f:fe_name(), applet.f:nbproc(), applet.f:srv_is_up("be/s1"),
			applet.f:var("txn.v"), applet.f:method(), applet.c:upper("x"), applet.sf:path() .. "." }
	end)
	kept = kept or { applet.f, applet.c }
	applet:send(said .. "\n")
end)
command("kept", function()
	return select(2, pcall(kept[1].nbproc, kept[1])) .. " " .. select(2, pcall(kept[2].upper, kept[2], "x"))
end)
core.register_cli({ "lua", "long" }, "", function(applet)
	local sum, count = 0, 0
	while true do
		local line = applet:getline()
		if line == "end\n" or line == "" then break end
		sum, count = sum + #line, count + 1
	end
	applet:send(count .. " lines, " .. sum .. " bytes\n")
end)
command("wrong", function(applet) applet:receive("x") end)
command("more", function(applet) applet:receive(1, 2) end)
