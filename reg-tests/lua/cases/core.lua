-- SPDX-License-Identifier: BSD-2-Clause
-- The class Core and its classes: Concat, Regex, Map, StickTable, Proxy, Server, Listener.
local maps = {}
for _, how in ipairs { "str", "beg", "sub", "dir", "dom", "end", "reg", "int", "ip", "len", "bin" } do
	local ok, map = pcall(Map.new, "map_" .. how .. ".map", Map["_" .. how])
	maps[how] = ok and map or map
end
local made = {}
local function kept(name, f, ...)
	local r = table.pack(pcall(f, ...))
	for i = 1, r.n do
		if type(r[i]) == "table" then r[i] = "table" end
	end
	made[#made + 1] = { name, shows(table.unpack(r, 1, r.n)) }
end
kept("no arguments", Map.new)
kept("no method", Map.new, "map_str.map")
kept("bad method", Map.new, "map_str.map", 99)
kept("word", Map.new, "map_str.map", "str")
kept("no file", Map.new, "nosuch.map", Map._str)
kept("twice", Map.new, "map_str.map", Map._str)
kept("other method", Map.new, "map_str.map", Map._beg)
kept("regm", Map.new, "map_reg.map", Map._regm)
kept("bad regex", Map.new, "bad_reg.map", Map._reg)
local set_map = Map.new("set.map", Map._str)

case("map_made", function(txn, say, try)
	for _, v in ipairs(made) do say(v[1], v[2]) end
	say("tostring", (tostring(maps.str):gsub("0x%x+", "")))
	try("later", function() return type(Map.new("later.map", Map._str)) end)
end)
case("map_lookup", function(txn, say, try)
	local keys = {
		str = { "key", "KEY", "other", "", "spaced" }, beg = { "/api/x", "/ap", "x/api" }, sub = { "xxmidxx", "mi" },
		dir = { "/a/dir/b", "dir", "/adir/" }, dom = { "www.example.org", "example.org", "notexample.org" },
		["end"] = { "a.jpg", "jpg.a" }, reg = { "abc123", "xyz", "user-bob" }, int = { "5", "15", "150", "x", 15 },
		ip = { "192.0.2.7", "10.1.2.3", "2001:db8::1", "x", "8.8.8.8" }, len = { "abc", "abcd" }, bin = { "ab", "abc" },
	}
	for _, how in ipairs { "str", "beg", "sub", "dir", "dom", "end", "reg", "int", "ip", "len", "bin" } do
		local map = maps[how]
		if type(map) == "table" then
			for _, key in ipairs(keys[how]) do
				try(how .. " " .. key, map.lookup, map, key)
				try("  s", map.slookup, map, key)
			end
		else
			say(how, map)
		end
	end
	local map = maps.str
	try("no key", map.lookup, map)
	try("nil", map.lookup, map, nil)
	try("table", map.lookup, map, {})
	try("number", map.lookup, map, 5)
	try("two keys", map.lookup, map, "key", "x")
	try("wrong object", map.lookup, txn, "key")
	try("ip, number", maps.ip.lookup, maps.ip, 5)
end)
case("map_changes", function(txn, say, try)
	try("set", core.set_map, "set.map", "a", "1")
	try("  is", set_map.lookup, set_map, "a")
	try("again", core.set_map, "set.map", "a", "2")
	try("  is", set_map.lookup, set_map, "a")
	try("number", core.set_map, "set.map", 5, 6)
	try("  is", set_map.lookup, set_map, "5")
	try("del", core.del_map, "set.map", "a")
	try("  is", set_map.lookup, set_map, "a")
	try("del none", core.del_map, "set.map", "none")
	try("unknown file", core.set_map, "nosuch.map", "a", "b")
	try("del unknown", core.del_map, "nosuch.map", "a")
	try("two arguments", core.set_map, "set.map", "a")
	try("del one", core.del_map, "set.map")
	try("nil", core.set_map, "set.map", "a", nil)
end)
case("acl_changes", function(txn, say, try)
	try("add", core.add_acl, "list.lst", "/by_lua")
	try("again", core.add_acl, "list.lst", "/by_lua")
	try("unknown", core.add_acl, "nosuch.lst", "x")
	try("one", core.add_acl, "list.lst")
	try("del", core.del_acl, "list.lst", "/acl_changes")
	try("del none", core.del_acl, "list.lst", "/none")
	try("del unknown", core.del_acl, "nosuch.lst", "x")
	try("of a map", core.add_acl, "set.map", "x")
end)
case("concat", function(txn, say, try)
	local c = core.concat()
	say("empty", c:dump())
	try("add", c.add, c, "one")
	c:add(", two")
	say("dump", c:dump())
	c:add(5)
	c:add(1.5)
	say("numbers", c:dump())
	try("nil", c.add, c, nil)
	try("nothing", c.add, c)
	try("table", c.add, c, {})
	try("boolean", c.add, c, true)
	try("two", c.add, c, "a", "b")
	say("then", c:dump())
	for i = 1, 20000 do c:add("0123456789") end
	say("long", #c:dump())
	local d = core.concat()
	d:add("a\0b")
	say("zero", d:dump())
	say("tostring", (tostring(d):gsub("0x%x+", "")))
	try("argument", function() return type(core.concat("x")) end)
	try("dump with an argument", c.dump, d, 1)
	try("wrong object", c.add, txn, "x")
	try("length", function() return #d end)
	try("chained", function() return type(d:add("x")) end)
end)
case("tokenize", function(txn, say, try)
	local function t(...) try(shows(...), core.tokenize, ...) end
	t("a,b,c", ",")
	t("a,b;c", ",;")
	t("a,,c", ",")
	t("a,,c", ",", true)
	t("a,,c", ",", false)
	t(",a,", ",")
	t(",a,", ",", true)
	t("", ",")
	t("", ",", true)
	t("abc", "")
	t("abc", ",")
	t(",,,", ",")
	t(",,,", ",", true)
	t("a b\tc", " \t")
	t("a,b", ",", "x")
	t("a,b", ",", 0)
	t("a,,b", ",", nil)
	t(5, ",")
	t("1.5", ".")
	t("a,b")
	t("a,b", ",", true, 1)
	t()
	t(nil, ",")
	t("a,b", nil)
	t({}, ",")
	t("a\0b,c", ",")
	t("a,b", ",,")
	t("This function is useful, for tokenizing an entry.", "., ", true)
end)
case("addresses", function(txn, say, try)
	local function p(text) return core.parse_addr(text) end
	for _, text in ipairs { "127.0.0.1", "127.0.0.1/8", "::1", "2001:db8::/32", "127.0.0.1:80", "[::1]:80", "", "1.2.3", "1.2.3.4/33", "::1/129",
		"1.2.3.4/255.0.0.0", "1.2.3.4/0", "/8", "1.2.3.4/", "::ffff:1.2.3.4", "1.2.3.4 ", "0x7f.1" } do
		try(text, function() return type(p(text)) end)
	end
	try("number", p, 5)
	try("nil", p, nil)
	try("nothing", core.parse_addr)
	try("two", core.parse_addr, "1.2.3.4", 1)
	for _, w in ipairs { { "127.0.0.1/32", "127.0.0.0/8" }, { "127.0.0.0/8", "127.0.0.1/32" }, { "128.0.0.1", "127.0.0.0/8" }, { "10.0.0.1", "10.0.0.1" }, { "10.0.0.1", "10.0.0.2" },
		{ "1.2.3.4/0", "9.9.9.9" }, { "::1", "::/0" }, { "2001:db8::1", "2001:db8::/32" }, { "2001:db9::1", "2001:db8::/32" }, { "::ffff:10.0.0.1", "10.0.0.1" }, { "::1", "127.0.0.1" }, { "10.0.0.0/8", "10.1.0.0/16" } } do
		try(w[1] .. " " .. w[2], function() return core.match_addr(p(w[1]), p(w[2])) end)
	end
	try("match strings", core.match_addr, "10.0.0.1", "10.0.0.1")
	try("match nil", core.match_addr, nil, nil)
	try("match one", core.match_addr, p("10.0.0.1"))
	say("tostring", type(tostring(p("10.0.0.1"))))
end)
case("dates", function(txn, say, try)
	local texts = { "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Thu, 01 Jan 1970 00:00:00 GMT",
		"Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt", "Sun, 30 Feb 2020 00:00:00 GMT",
		"Sunday, 06-Nov-30 08:49:37 GMT", "Sunday, 06-Nov-69 08:49:37 GMT", "Sunday, 06-Nov-70 08:49:37 GMT", "Sun Nov 16 08:49:37 1994", "Sun Nov 6 08:49:37 1994", "", "x", "0", "Tue, 29 Feb 2000 12:00:00 GMT", "Wed, 31 Dec 1969 23:59:59 GMT" }
	for _, name in ipairs { "http_date", "imf_date", "rfc850_date", "asctime_date" } do
		for _, text in ipairs(texts) do
			try(name .. " " .. text, core[name], text)
		end
		try(name .. " nothing", core[name])
		try(name .. " number", core[name], 5)
		try(name .. " nil", core[name], nil)
		try(name .. " table", core[name], {})
		try(name .. " two", core[name], "x", 1)
	end
	try("rfc1036", function() return core.rfc1036_date end)
end)
case("now", function(txn, say, try)
	local n = core.now()
	local names = {}
	for k, v in pairs(n) do names[#names + 1] = k .. ":" .. (math.type(v) or type(v)) end
	table.sort(names)
	say("members", table.concat(names, " "))
	say("near", math.abs(n.sec - os.time()) < 3, n.usec >= 0, n.usec < 1000000)
	local m = core.now()
	say("same", n.sec == m.sec, n.usec == m.usec)
	try("argument", function() return type(core.now(1)) end)
end)
case("get_info", function(txn, say, try)
	local i = core.get_info()
	local names = {}
	for k, v in pairs(i) do names[#names + 1] = k .. ":" .. (math.type(v) or type(v)) end
	table.sort(names)
	for _, name in ipairs(names) do say(name) end
	say("Nbthread", i.Nbthread)
	say("Name", i.Name)
	try("argument", function() return type(core.get_info(1)) end)
end)
case("set_nice", function(txn, say, try)
	for _, n in ipairs { 0, 10, -10, 5000, -5000, "5", 1.5 } do try(n, core.set_nice, n) end
	try("word", core.set_nice, "x")
	try("nothing", core.set_nice)
end)
case("thread", function(txn, say) say("thread", core.thread) end)
case("regex", function(txn, say, try)
	local function new(...)
		local r = table.pack(pcall(Regex.new, ...))
		if type(r[3]) == "table" then r[3] = "Regex" end
		say("new " .. shows(...), table.unpack(r, 1, r.n))
	end
	new("a(b)c", true)
	new("a(b)c", false)
	new("(", true)
	new("a")
	new()
	new("a", "x")
	new("a", nil)
	new("a", 1)
	new(5, true)
	new("a", true, 1)
	local _, r = Regex.new("needle (..) (...)", true)
	try("exec", r.exec, r, "a needle in the haystack")
	try("exec none", r.exec, r, "a cat")
	try("match", r.match, r, "a needle in the haystack")
	try("match none", r.match, r, "a cat")
	try("exec nothing", r.exec, r)
	try("exec nil", r.exec, r, nil)
	try("exec number", r.exec, r, 5)
	try("match nothing", r.match, r)
	local _, i = Regex.new("ABC", false)
	try("without case", i.exec, i, "xabcx")
	try("match of it", i.match, i, "xabcx")
	local _, o = Regex.new("(a)|(b)(c)?", true)
	try("groups a", o.match, o, "a")
	try("groups b", o.match, o, "b")
	try("groups bc", o.match, o, "bc")
	local _, e = Regex.new("", true)
	try("empty", e.match, e, "abc")
	try("of empty", e.match, e, "")
	local _, many = Regex.new(("(.)"):rep(25), true)
	try("25 groups", many.match, many, "abcdefghijklmnopqrstuvwxyz")
	local _, zero = Regex.new("a.b", true)
	try("zero byte", zero.match, zero, "xa\0bx")
	try("tostring", function() return (tostring(r):gsub("0x%x+", "")) end)
	try("wrong object", r.exec, txn, "x")
	try("twice", function() return r:exec("a needle in the haystack"), r:exec("no") end)
end)
-- Proxies.
local function names(t)
	local words = {}
	for k, v in pairs(t) do words[#words + 1] = tostring(k) .. ":" .. type(v) end
	table.sort(words)
	return table.concat(words, " ")
end
local function only(t, list)
	local words = {}
	for name in pairs(t) do
		for _, wanted in ipairs(list) do
			if name == wanted then words[#words + 1] = name end
		end
	end
	table.sort(words)
	return words
end
case("proxies", function(txn, say, try)
	local list = { "fe", "be", "li", "st", "tcpbe", "GLOBAL", "MASTER", "proxies", "dflt", "_HTTPCLIENT", "<HTTPCLIENT>" }
	say("proxies", only(core.proxies, list))
	say("frontends", only(core.frontends, list))
	say("backends", only(core.backends, list))
	say("same", core.proxies["li"] == core.frontends["li"], core.proxies["li"] == core.backends["li"])
	local p = core.proxies["be"]
	say("members", names(p))
	say("methods", names(methods_of(p)))
	say("tostring", (tostring(p):gsub("0x%x+", "")))
	say("name", p.name, math.type(p.uuid) or type(p.uuid))
	for _, name in ipairs { "fe", "be", "li", "st", "tcpbe" } do
		local x = core.proxies[name]
		say(name, x.name, x.uuid, x:get_cap(), x:get_mode())
		say("  servers", names(x.servers))
		say("  listeners", names(x.listeners))
		say("  stktable", type(x.stktable))
	end
	try("cap with an argument", p.get_cap, p, 1)
	try("cap without object", p.get_cap)
	try("mode of nothing", p.get_mode, {})
	say("unknown", core.proxies["none"])
end)
local function stats(say, t, values)
	local words = {}
	for k, v in pairs(t) do words[#words + 1] = k .. ":" .. (math.type(v) or type(v)) end
	table.sort(words)
	for _, word in ipairs(words) do say(word) end
	for _, k in ipairs(values) do say("value " .. k, t[k]) end
end
case("stats_frontend", function(txn, say) stats(say, core.frontends.fe:get_stats(), { "pxname", "svname", "status", "type", "mode", "stot", "scur", "slim" }) end)
case("stats_backend", function(txn, say) stats(say, core.backends.be:get_stats(), { "pxname", "svname", "status", "type", "mode", "act", "bck", "weight", "algo" }) end)
case("stats_listen", function(txn, say)
	stats(say, core.proxies.li:get_stats(), { "pxname", "svname", "type" })
	say("frontend", core.frontends.li:get_stats().svname, "backend", core.backends.li:get_stats().svname)
end)
case("stats_server", function(txn, say)
	stats(say, core.backends.be.servers.s1:get_stats(), { "pxname", "svname", "status", "type", "mode", "act", "bck", "weight", "addr" })
end)
case("stats_listener", function(txn, say)
	for name, l in pairs(core.frontends.fe.listeners) do
		say("name", name)
		say("members", names(l))
		say("stats", type(l:get_stats()))
	end
end)
case("server", function(txn, say, try)
	local s = core.backends.be.servers.s1
	say("members", names(s))
	say("methods", names(methods_of(s)))
	say("name", s.name, type(s.puid), s.puid)
	say("tostring", (tostring(s):gsub("0x%x+", "")))
	local function t(name, ...) try(name .. " " .. shows(...), s[name], s, ...) end
	t("get_addr") t("get_weight") t("get_maxconn") t("is_draining")
	t("set_weight", "50") t("get_weight") t("set_weight", "50%") t("get_weight") t("set_weight", "x") t("set_weight", "300") t("set_weight", 20) t("get_weight") t("set_weight") t("set_weight", "0") t("get_weight")
	t("set_weight", "100%") t("get_weight")
	t("set_maxconn", "10") t("get_maxconn") t("set_maxconn", 11) t("get_maxconn") t("set_maxconn", "x") t("set_maxconn")
	t("set_addr", "127.0.0.9") t("get_addr") t("set_addr", "127.0.0.9", 99) t("get_addr") t("set_addr", "127.0.0.8", "98") t("get_addr") t("set_addr", "x") t("set_addr", "::1") t("get_addr") t("set_addr")
	t("set_drain") t("is_draining") t("set_maint") t("is_draining") say("status", s:get_stats().status)
	t("set_ready") t("is_draining") say("status", s:get_stats().status)
	t("shut_sess")
	t("check_disable") t("check_enable") t("check_force_up") t("check_force_nolb") t("check_force_down") t("agent_enable") t("agent_disable") t("agent_force_up") t("agent_force_down")
	say("status", s:get_stats().status)
	local c = core.backends.be.servers.checked
	local function u(name, ...) try("checked " .. name, c[name], c, ...) say("  status", (c:get_stats().status:gsub("%d+/%d+", "N/M"))) end
	u("check_disable") u("check_enable") u("check_force_down") u("check_force_up") u("check_force_nolb") u("agent_disable") u("agent_force_down") u("agent_force_up") u("agent_enable")
	try("backup", function() return core.backends.be.servers.spare:get_stats().bck end)
	try("disabled", function() return core.backends.be.servers.off:get_stats().status end)
	try("of unix", function() return (core.backends.st.servers.un:get_addr()) end)
	try("with a name", function() return core.backends.be.servers.spare:get_addr() end)
	try("ipv6", function() return core.backends.be.servers.six:get_addr() end)
	try("no maxconn", function() return core.backends.be.servers.off:get_maxconn() end)
	try("wrong object", s.get_addr, txn)
	try("no object", s.get_addr)
end)
case("proxy_control", function(txn, say, try)
	local p = core.frontends.paused
	say("status", p:get_stats().status)
	try("pause", p.pause, p)
	say("status", p:get_stats().status)
	try("resume", p.resume, p)
	say("status", p:get_stats().status)
	try("stop", p.stop, p)
	say("status", p:get_stats().status)
	try("resume", p.resume, p)
	say("status", p:get_stats().status)
	try("shut_bcksess", p.shut_bcksess, p)
	try("argument", p.pause, p, 1)
end)
case("stktable", function(txn, say, try)
	local t = core.proxies.st.stktable
	say("members", names(t))
	say("methods", names(methods_of(t)))
	say("tostring", (tostring(t):gsub("0x%x+", "")))
	local i = t:info()
	i.used = nil
	say("info", i)
	say("info of strings", core.proxies.strings.stktable:info())
	say("info of integers", core.proxies.integers.stktable:info())
	local found = t:lookup("192.0.2.7")
	found.expire = found.expire > 3500000
	say("lookup", found)
	say("none", t:lookup("192.0.2.99"))
	try("nonsense", t.lookup, t, "x")
	try("nothing", t.lookup, t)
	try("number", t.lookup, t, 5)
	try("nil", t.lookup, t, nil)
	local function d(...) try("dump " .. shows(...), t.dump, t, ...) end
	d()
	d({ { "gpc0", "gt", 0 } })
	d({ { "gpc0", "gt", 1000 } })
	d({ { "gpc0", "eq", 3 }, { "http_req_cnt", "ge", 0 } })
	d({ { "gpc0", "ne", 3 } }) d({ { "gpc0", "le", 3 } }) d({ { "gpc0", "lt", 3 } })
	d({ { "nosuch", "gt", 1 } }) d({ { "gpc0", "xx", 1 } }) d({ { "gpc0", "gt", "x" } }) d({ { "gpc0", "gt" } }) d({ "gpc0" }) d("x") d({}) d(nil) d({ { "gpc1", "gt", 1 } })
	d({ { "gpc0", "ge", 0 }, { "gpc0", "ge", 0 }, { "gpc0", "ge", 0 }, { "gpc0", "ge", 0 }, { "gpc0", "ge", 0 } })
	d({ { "gpc0", "gt", 0 }, 1 }) d({}, 1)
	local s = core.proxies.strings.stktable
	say("string", s:lookup("/stktable"), s:lookup("/none"))
	say("string dump", s:dump())
	local n = core.proxies.integers.stktable
	try("integer", n.lookup, n, "7")
	try("integer as number", n.lookup, n, 7)
	say("integer dump", n:dump())
	try("wrong object", t.lookup, txn, "x")
end)
