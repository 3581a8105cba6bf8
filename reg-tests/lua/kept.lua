-- SPDX-License-Identifier: BSD-2-Clause
-- Scripts of kept.sh: objects that are kept beyond their life. API has the methods of each class.
local kept, lasting = {}, {}

-- An object of the class, and what belongs to it.
local function keep(class, object, from)
	kept[#kept + 1] = { class = class, object = object, from = from .. ", " .. class }
end
local function keep_all(class, object, from)
	keep(class, object, from)
	keep("Fetches", object.f, from)
	keep("Fetches", object.sf, from .. ", as strings")
	keep("Converters", object.c, from)
	keep("Converters", object.sc, from .. ", as strings")
end
local function keep_txn(txn, from)
	keep_all("TXN", txn, from)
	keep("HTTP", txn.http, from)
end

core.register_action("keep", { "http-req", "http-res", "http-after-res" }, function(txn) keep_txn(txn, "action") end)
core.register_action("keep_tcp", { "tcp-req", "tcp-res" }, function(txn) keep_all("TXN", txn, "action of tcp") end)
core.register_fetches("keep", function(txn)
	keep_txn(txn, "fetch")
	return "x"
end)
core.register_service("keep_http", "http", function(applet)
	keep_all("AppletHTTP", applet, "service")
	applet:start_response()
	applet:send("kept")
end)
core.register_service("keep_tcp", "tcp", function(applet)
	keep_all("AppletTCP", applet, "service of tcp")
	applet:send("kept")
end)
core.register_cli({ "keep", "this" }, "keeps its object", function(applet)
	keep("Command", applet, "command")
	applet:send("kept\n")
end)
-- One that is in the middle of something.
local released
core.register_cli({ "keep", "waiting" }, "keeps its object, and waits", function(applet)
	keep("Command", applet, "command that waits")
	while not released do core.msleep(5) end
	applet:send("released\n")
end)
core.register_cli({ "keep", "released" }, "ends its wait", function(applet)
	released = true
	applet:send("\n")
end)
core.register_service("waits", "http", function(applet)
	keep_all("AppletHTTP", applet, "service that waits")
	lasting.socket = core.tcp()
	lasting.socket:connect(applet.headers["x-to"][0])
	lasting.socket:receive("*l")
	applet:start_response()
end)

-- A socket of two scripts: both receive, one of them while the other lets others go first.
core.register_action("share", { "http-req" }, function(txn)
	lasting.shared = core.tcp()
	lasting.shared:connect(txn.sf:req_hdr("x-to"))
	local ok, e = pcall(lasting.shared.receive, lasting.shared, "*a")
	txn:done { status = 200, body = ok and "received" or e }
end)
core.register_action("shared", { "http-req" }, function(txn)
	local ok, e
	repeat
		core.yield()
		ok, e = pcall(lasting.shared.receive, lasting.shared, "*a")
	until ok or not e:find("another script waits")
	txn:done { status = 200, body = ok and "received" or e }
end)

-- Arguments with which a method does something, if its object is good.
local arguments = {
	set_var = { "txn.a", 1 }, unset_var = { "txn.a" }, get_var = { "txn.a" }, set_priv = { 1 }, get_priv = {},
	log = { core.info, "x" }, deflog = { "x" }, Debug = { "x" }, Info = { "x" }, Warning = { "x" }, Alert = { "x" },
	set_loglevel = { 1 }, set_tos = { 1 }, set_mark = { 1 }, set_priority_class = { 1 }, set_priority_offset = { 1 },
	done = {}, req_rep_header = { "a", "b", "c" }, res_rep_header = { "a", "b", "c" }, req_rep_value = { "a", "b", "c" },
	res_rep_value = { "a", "b", "c" }, res_set_status = { 200 }, set_status = { 200 }, send = { "x" }, receive = {},
	getline = {}, start_response = {}, req_get_headers = {}, res_get_headers = {}, req_del_header = { "a" },
	res_del_header = { "a" }, req_set_method = { "GET" }, req_set_path = { "/" }, req_set_query = { "a" },
	req_set_uri = { "/" },
}
local names = { Fetches = { "src", "path", "rand", "var", "req_hdr", "no_such" }, Converters = { "lower", "hex", "no_such" },
	Command = API.AppletTCP }

-- A table, written as the program writes it, has nothing to answer for: it is plain.
local plain = { reply = true }
local function judge()
	local wrong, called = {}, 0
	for _, k in ipairs(kept) do
		for _, name in ipairs(names[k.class] or API[k.class]) do
			local method = k.object[name]
			if method and not plain[name] then
				local ok, e = pcall(method, k.object, table.unpack(arguments[name] or { "a", "b" }))
				called = called + 1
				if ok or not (e:find("over") or e:find("turn") or e:find("another script")) then
					wrong[#wrong + 1] = k.from .. ":" .. name .. " " .. tostring(e)
				end
			end
		end
	end
	collectgarbage()
	return #wrong == 0 and called .. " methods of " .. #kept .. " objects" or table.concat(wrong, ", ")
end
core.register_action("judge", { "http-req" }, function(txn)
	if txn.sf:query() == "keep" then return end
	txn:done { status = 200, body = judge() }
end)
core.register_cli({ "judge" }, "judges", function(applet) applet:send(judge() .. "\n") end)
core.register_cli({ "judge", "kept" }, "what is kept", function(applet)
	for _, k in ipairs(kept) do applet:send(k.from .. "\n") end
end)
local told = "not yet"
core.register_cli({ "judge", "task" }, "what a task found", function(applet) applet:send(told .. "\n") end)
core.register_cli({ "judge", "later" }, "has a task judge", function(applet)
	core.register_task(function() told = judge() end)
	applet:send("\n")
end)

-- What lives as long as the process, or as somebody holds it.
core.register_action("lasting", { "http-req" }, function(txn)
	local said = {}
	local function try(name, f, ...)
		local ok, e = pcall(f, ...)
		said[#said + 1] = name .. " " .. (ok and "yes" or "no")
	end
	lasting.server = lasting.server or core.proxies.be.servers.s
	lasting.proxy = lasting.proxy or core.proxies.stopped
	lasting.listener = lasting.listener or select(2, next(core.proxies.stopped.listeners))
	lasting.table = lasting.table or core.proxies.be.stktable
	lasting.client = lasting.client or core.httpclient()
	lasting.closed = lasting.closed or core.tcp()
	lasting.concat = lasting.concat or core.concat()
	lasting.regex = lasting.regex or select(2, Regex.new("a", true))
	lasting.reply = lasting.reply or txn:reply()
	collectgarbage()
	try("server", lasting.server.get_addr, lasting.server)
	try("proxy", lasting.proxy.get_stats, lasting.proxy)
	try("listener", lasting.listener.get_stats, lasting.listener)
	try("table", lasting.table.dump, lasting.table)
	try("concat", lasting.concat.add, lasting.concat, "x")
	try("regex", lasting.regex.exec, lasting.regex, "a")
	try("reply", lasting.reply.set_status, lasting.reply, 201)
	try("client", lasting.client.get, lasting.client, { url = "http://127.0.0.1:1/" })
	try("close", lasting.closed.close, lasting.closed)
	try("close again", lasting.closed.close, lasting.closed)
	try("send when closed", function() assert(lasting.closed:send("x") == -1) end)
	try("receive when closed", function() assert(lasting.closed:receive() == nil) end)
	try("connect when closed", function() assert(lasting.closed:connect("127.0.0.1:1") == nil) end)
	if lasting.socket then try("a socket at which another waits", lasting.socket.receive, lasting.socket) end
	txn:done { status = 200, body = table.concat(said, ", ") }
end)
