-- SPDX-License-Identifier: BSD-2-Clause
-- What came with 2.8: queues, events of servers, more of proxies and servers. Recorded with 2.8.
local q, waited = core.queue(), core.queue()
local made = {}
local function kept(title, f, ...)
	made[#made + 1] = { title, shown(f, ...) }
end
local function nothing() end
kept("push nil", q.push, q, nil)
kept("push nothing", q.push, q)
kept("push two", q.push, q, 1, 2)
kept("push false", q.push, q, false)
kept("size", q.size, q)
kept("pop", q.pop, q)
kept("pop empty", q.pop, q)
kept("pop_wait", q.pop_wait, q)
kept("argument", function() return type(core.queue(1)) end)
kept("disable_legacy_mailers", core.disable_legacy_mailers)
kept("event_sub number", core.event_sub, 1, nothing)
kept("event_sub string", core.event_sub, "SERVER", nothing)
kept("event_sub unknown", core.event_sub, { "NOPE" }, nothing)
kept("event_sub none", core.event_sub, {}, nothing)
kept("event_sub no function", core.event_sub, { "SERVER" }, 5)
kept("event_sub one argument", core.event_sub, { "SERVER" })
kept("event_sub", function() return tostring(core.event_sub({ "SERVER_UP", "SERVER_ADD" }, nothing)) end)
kept("silent", function() return core.silent end)

-- Events since `events` was emptied.
local events = {}
local function event(who)
	return function(type, data, sub, when)
		local words = { who, type, data.proxy_name .. "/" .. data.name, show(data.puid), show(data.proxy_uuid), show(data.rid),
			data.reference:get_name() }
		for _, name in ipairs { "state", "admin", "check" } do
			local found = name == "check" and data.check or data[name] and data[name].check
			if found then found.duration = type == "never" or 0 end
			if data[name] then words[#words + 1] = name .. "=" .. show(data[name]) end
		end
		words[#words + 1] = math.type(when) .. " " .. tostring(sub):gsub("0x%x+", "")
		events[#events + 1] = table.concat(words, " ")
	end
end
core.event_sub({ "SERVER_UP", "SERVER_DOWN", "SERVER_STATE", "SERVER_ADMIN" }, event("all"))
local once = 0
core.event_sub({ "SERVER_DOWN" }, function(type, data, sub)
	once = once + 1
	sub:unsub()
	sub:unsub()
end)
local fails = 0
core.event_sub({ "SERVER_DOWN" }, function()
	fails = fails + 1
	core.msleep(1)
	error("this one fails")
end)
core.register_init(function()
	core.proxies.be.servers.plain:event_sub({ "SERVER" }, event("plain"))
	kept("Server:event_sub unknown", function()
		core.proxies.be.servers.plain:event_sub({ "NOPE" }, nothing)
	end)
end)

-- So many events, by name: they come one by one, in an order of their own for each subscription.
local function wait_for(say, title, count)
	for i = 1, 200 do
		if #events >= count then break end
		core.msleep(10)
	end
	core.msleep(20)
	table.sort(events)
	say(title, #events)
	for _, e in ipairs(events) do say("  ", e) end
	events = {}
end

case("made", function(txn, say, try)
	for _, v in ipairs(made) do say(v[1], v[2]) end
end)
case("queue", function(txn, say, try)
	try("push", q.push, q, "one")
	try("push", q.push, q, { 2 })
	try("push", q.push, q, print)
	try("size", q.size, q)
	try("pop", q.pop, q)
	try("pop", q.pop, q)
	try("size, an argument more", q.size, q, 1)
	try("pop, an argument more", q.pop, q, 1)
	try("pop", q.pop, q)
	try("wrong object", q.size, txn)
	try("no object", q.push)
end)
core.register_task(function()
	while true do
		local job = waited:pop_wait()
		job.back:push("done " .. job.work)
	end
end)
case("queue_waits", function(txn, say, try)
	local back = core.queue()
	for _, work in ipairs { "one", "two", "three" } do waited:push({ back = back, work = work }) end
	for i = 1, 3 do try("answer", back.pop_wait, back) end
	say("left", waited:size(), back:size())
end)
case("proxy", function(txn, say, try)
	for _, name in ipairs { "be", "bare", "both" } do
		local p = core.proxies[name]
		for _, f in ipairs { "get_name", "get_uuid", "get_srv_act", "get_srv_bck", "get_mailers" } do try(name .. " " .. f, p[f], p) end
	end
	try("wrong", core.proxies.be.get_name, txn)
end)
case("server", function(txn, say, try)
	for _, name in ipairs { "plain", "checked", "tracks", "back" } do
		local s = core.proxies.be.servers[name]
		for _, f in ipairs { "get_name", "get_puid", "get_rid", "get_cur_sess", "get_pend_conn", "is_backup", "is_dynamic" } do
			try(name .. " " .. f, s[f], s)
		end
		say(name .. " get_proxy", s:get_proxy():get_name())
		local tracked = s:tracking()
		say(name .. " tracking", tracked and tracked:get_name())
		for i, t in ipairs(s:get_trackers()) do say(name .. " get_trackers", i, t:get_name()) end
	end
end)
case("events", function(txn, say, try)
	local s = core.proxies.be.servers
	events = {}
	s.plain:set_maint()
	wait_for(say, "maint", 6)
	s.plain:set_ready()
	wait_for(say, "ready", 6)
	s.plain:set_drain()
	wait_for(say, "drain", 2)
	s.plain:set_ready()
	wait_for(say, "ready", 2)
	s.checked:check_force_down()
	wait_for(say, "down", 4)
	s.checked:check_force_up()
	wait_for(say, "up", 4)
	s.checked:set_maint()
	wait_for(say, "maint, tracked", 6)
	s.checked:set_ready()
	wait_for(say, "ready, tracked", 6)
	for i = 1, 100 do
		if fails == 5 then break end
		core.msleep(10)
	end
	say("once", once)
	say("fails", fails)
end)
case("loglevel_silent", function(txn, say, try)
	try("set", txn.set_loglevel, txn, core.silent)
	txn:set_var("txn.said", "silent")
end)
