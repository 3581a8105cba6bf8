-- SPDX-License-Identifier: BSD-2-Clause
-- The class TXN: variables, private data, logs, fetches and converters.
local values = {
	{ "string", "text" }, { "empty", "" }, { "zeros", "a\0b" }, { "integer", 42 }, { "negative", -7 },
	{ "large", 9007199254740993 }, { "float", 1.5 }, { "whole_float", 2.0 }, { "true", true }, { "false", false },
	{ "table", {} }, { "function", print }, { "long", ("x"):rep(20000) },
}
case("set_var_types", function(txn, say, try)
	for _, v in ipairs(values) do
		local r = table.pack(pcall(txn.set_var, txn, "txn.v", v[2]))
		local got = txn:get_var("txn.v")
		if type(got) == "string" and #got > 100 then
			got = #got
		end
		say(v[1], table.unpack(r, 1, r.n))
		say("  is", math.type(got) or type(got), got)
	end
	try("nil", txn.set_var, txn, "txn.v", nil)
	say("  is", txn:get_var("txn.v"))
end)
case("set_var_names", function(txn, say, try)
	for _, name in ipairs { "proc.a", "sess.a", "txn.a", "req.a", "res.a", "check.a", "nosuch.a", "a",
		"", ".", "txn.", "txn.a.b", "txn.a-b", "TXN.a", "txn.a b", "txn.Ab", "txn.ab", "txn.é", "txn.1" } do
		try(name, txn.set_var, txn, name, "x")
		try("  get", txn.get_var, txn, name)
	end
	try("number", txn.set_var, txn, 5, "x")
	try("no value", txn.set_var, txn, "txn.a")
	try("no name", txn.set_var, txn)
	try("5 arguments", txn.set_var, txn, "txn.a", 1, true, 1)
	try("get nothing", txn.get_var, txn)
	try("get table", txn.get_var, txn, {})
	try("get two", txn.get_var, txn, "txn.a", 1)
end)
case("ifexist", function(txn, say, try)
	try("unknown", txn.set_var, txn, "txn.never_named", 1, true)
	try("  get", txn.get_var, txn, "txn.never_named")
	try("in configuration", txn.set_var, txn, "txn.named", 1, true)
	try("  get", txn.get_var, txn, "txn.named")
	try("false", txn.set_var, txn, "txn.other_one", 1, false)
	try("  get", txn.get_var, txn, "txn.other_one")
	try("set before by Lua", txn.set_var, txn, "txn.other_one", 2, true)
	try("  get", txn.get_var, txn, "txn.other_one")
	try("nil", txn.set_var, txn, "txn.other_two", 1, nil)
	try("string", txn.set_var, txn, "txn.other_three", 1, "yes")
	try("proc unknown", txn.set_var, txn, "proc.other", 1, true)
	try("  get", txn.get_var, txn, "proc.other")
	try("proc named", txn.set_var, txn, "proc.named", 1, true)
	try("  get", txn.get_var, txn, "proc.named")
	try("proc", txn.set_var, txn, "proc.other_two", 1)
	try("  get", txn.get_var, txn, "proc.other_two")
end)
case("unset_var", function(txn, say, try)
	txn:set_var("txn.a", 1)
	try("set", txn.unset_var, txn, "txn.a")
	try("  get", txn.get_var, txn, "txn.a")
	try("not set", txn.unset_var, txn, "txn.a")
	try("never named", txn.unset_var, txn, "txn.nobody")
	try("wrong scope", txn.unset_var, txn, "foo.a")
	try("no name", txn.unset_var, txn)
	try("proc", txn.set_var, txn, "proc.p", 5)
	try("unset proc", txn.unset_var, txn, "proc.p")
	try("  get", txn.get_var, txn, "proc.p")
end)
case("get_var_types", function(txn, say, try)
	for _, name in ipairs { "int", "str", "bool", "nobool", "ip", "ip6", "bin", "meth", "get", "unset" } do
		local v = txn:get_var("txn." .. name)
		say(name, math.type(v) or type(v), v)
	end
end)
case("types_in_rules", function(txn, say, try)
	txn:set_var("txn.i", 42)
	txn:set_var("txn.s", "42")
	txn:set_var("txn.b", true)
	txn:set_var("txn.f", 4.0)
end)
case("scopes_req", function(txn)
	for _, scope in ipairs { "proc", "sess", "txn", "req" } do
		txn:set_var(scope .. ".kept", (txn:get_var(scope .. ".kept") or 0) + 1)
	end
end)
case("scopes_res", function(txn, say)
	for _, scope in ipairs { "proc", "sess", "txn", "req", "res" } do
		say(scope, txn:get_var(scope .. ".kept"))
	end
end, { "http-res" })
case("priv_set", function(txn, say, try)
	say("first", txn:get_priv())
	local t = { 1, f = print }
	say("set", txn:set_priv(t))
	say("same", txn:get_priv() == t)
	txn:set_priv(nil)
	say("nil", txn:get_priv())
	txn:set_priv("kept")
	try("nothing", txn.set_priv, txn)
	try("two", txn.set_priv, txn, 1, 2)
	try("get with an argument", txn.get_priv, txn, 1)
	say("other", txn:get_priv())
end)
case("priv_get", function(txn, say) say("priv", txn:get_priv()) end, { "http-req", "http-res" })
case("priv_get_res", function(txn, say) say("priv", txn:get_priv()) end, { "http-res" })

case("logs", function(txn, say, try)
	for i = 0, 7 do
		try(i, txn.log, txn, i, "level " .. i)
	end
	try("8", txn.log, txn, 8, "level 8")
	try("-1", txn.log, txn, -1, "level -1")
	try("word", txn.log, txn, "info", "x")
	try("digits", txn.log, txn, "3", "digits")
	try("Debug", txn.Debug, txn, "a Debug")
	try("Info", txn.Info, txn, "an Info")
	try("Warning", txn.Warning, txn, "a Warning")
	try("Alert", txn.Alert, txn, "an Alert")
	try("deflog", txn.deflog, txn, "deflog")
	try("no message", txn.log, txn, 1)
	try("table", txn.Info, txn, {})
	try("nil", txn.Info, txn, nil)
	try("number", txn.Info, txn, 5)
	try("nothing", txn.Info, txn)
	try("empty", txn.Info, txn, "")
	try("percent", txn.Info, txn, "100% %s %d")
	try("two lines", txn.Info, txn, "one\ntwo\r\n\ttab \x01 é")
	try("long", txn.Info, txn, ("0123456789"):rep(200))
	try("end of line", txn.Info, txn, "end\n")
	try("many", txn.Info, txn, "a", "b")
end)
case("core_logs", function(txn, say, try)
	for i = 0, 7 do
		try(i, core.log, i, "core level " .. i)
	end
	try("8", core.log, 8, "core level 8")
	try("-1", core.log, -1, "core level -1")
	try("Debug", core.Debug, "core Debug")
	try("Info", core.Info, "core Info")
	try("Warning", core.Warning, "core Warning")
	try("Alert", core.Alert, "core Alert")
	try("no message", core.log, 1)
	try("word", core.log, "x", "y")
	try("nil", core.Info, nil)
	try("number", core.Info, 5)
	try("boolean", core.Info, true)
	try("nothing", core.Info)
	try("two lines", core.Info, "core one\ntwo")
	try("long", core.Info, ("0123456789"):rep(200))
end)
case("loglevel", function(txn, say, try, level)
	try("set", txn.set_loglevel, txn, tonumber(level) or level)
	txn:Info("Info after it")
	txn:deflog("deflog after it")
end, { "http-req" }, 1)
case("sets", function(txn, say, try)
	try("tos", txn.set_tos, txn, 0x10)
	try("tos word", txn.set_tos, txn, "x")
	try("tos nothing", txn.set_tos, txn)
	try("mark", txn.set_mark, txn, 1)
	try("mark word", txn.set_mark, txn, "x")
	try("class", txn.set_priority_class, txn, 10)
	try("class high", txn.set_priority_class, txn, 99999)
	try("class word", txn.set_priority_class, txn, "x")
	try("offset", txn.set_priority_offset, txn, -10)
	try("offset nothing", txn.set_priority_offset, txn)
	try("offset float", txn.set_priority_offset, txn, 1.5)
	say("class is", txn.f:prio_class())
	say("offset is", txn.f:prio_offset())
end)

-- Fetches and converters: NAME and arguments.
local function fetches(name, of, list)
	case(name, function(txn, say, try)
		for _, words in ipairs(list) do
			local f = txn[of][words[1]]
			local title = words[1] .. "(" .. (#words > 1 and shows(table.unpack(words, 2)) or "") .. ")"
			if f then
				try(title, function() return (f(txn[of], table.unpack(words, 2))) end)
			else
				say(title, "no such function")
			end
		end
	end)
end
local list = {
	{ "src" }, { "src_port" }, { "dst" }, { "dst_port" }, { "method" }, { "path" }, { "pathq" }, { "url" }, { "base" },
	{ "query" }, { "url_param", "q" }, { "url_param", "none" }, { "url_param" }, { "urlp", "q" }, { "hdr", "x-a" },
	{ "hdr", "x-a", 1 }, { "hdr", "x-a", -1 }, { "hdr", "x-a", "2" }, { "hdr", "none" }, { "hdr" }, { "req_hdr", "host" },
	{ "req_fhdr", "x-list" }, { "fhdr", "x-list" }, { "req_hdr_cnt", "x-a" }, { "hdr_cnt", "none" }, { "hdr_cnt" }, { "req_hdr_names" },
	{ "req_hdr_names", "," }, { "hdr_val", "x-n" }, { "hdr_ip", "x-ip" }, { "req_cook", "c" }, { "cook", "none" },
	{ "req_cook_cnt", "c" }, { "req_ver" }, { "req_hdrs" }, { "ssl_fc" }, { "http_auth", "ul" }, { "fe_name" }, { "be_name" },
	{ "nbsrv", "table" }, { "nbsrv", "nosuch" }, { "be_conn", "fetch_all" }, { "nbproc" }, { "str", "x" }, { "int", 5 },
	{ "int", "5" }, { "int", "x" }, { "bool", true }, { "bool", "true" }, { "bool", 1 }, { "always_true" }, { "always_false" }, { "ipv4", "1.2.3.4" },
	{ "bin", "6162" }, { "meth", "GET" }, { "var", "txn.v" }, { "var", "txn.none" }, { "var", "txn.b" }, { "var", "txn.i" }, { "var" },
	{ "env", "NOT_SET_AT_ALL" }, { "env", "FETCH_ENV" }, { "thread" }, { "status" }, { "res_ver" }, { "res_hdr", "x-res" }, { "req_body" },
	{ "req_body_len" }, { "req_body_size" }, { "req_len" }, { "req_payload", 0, 0 }, { "payload", 0, 5 }, { "capture_req_method" }, { "capture_req_uri" },
	{ "sc0_http_req_cnt" }, { "sc_http_req_cnt", 0 }, { "src_http_req_cnt", "table" }, { "src_http_req_cnt" }, { "table_cnt", "table" },
	{ "nosuch" }, { "path", 1 }, { "path", "x" }, { "src", nil }, { "hdr", {} }, { "hdr", true }, { "hdr", "x-a", "x" },
	{ "hdr", "x-a", 1, 2 }, { "http_first_req" }, { "req_proto_http" }, { "unique_id" }, { "fc_rcvd_proxy" }, { "so_id" }, { "wait_end" },
	{ "srv_is_up", "fetch_all", "s" }, { "srv_is_up" },  { "base32" }, { "url32" }, { "hdr", "" },
}
fetches("fetch_all", "f", list)
fetches("fetch_strings", "sf", list)
case("fetch_loose", function(txn, say, try)
	try("with a dot", function() return txn.f.src() end)
	try("wrong object", function() return txn.f.src(txn) end)
	try("index with a dot", function() return type(txn.f["req.hdr"]) end)
	try("number object", function() return txn.f.src(5) end)
	try("mixed", function() return txn.f.src(txn.sf), txn.sf.src_port(txn.f) end)
	local count, dots, dashes = 0, 0, 0
	for name in pairs(methods_of(txn.f)) do
		count = count + 1
		dots = dots + (name:find(".", 1, true) and 1 or 0)
		dashes = dashes + (name:find("-", 1, true) and 1 or 0)
	end
	say("many", count > 100, dots, dashes)
end)
local conversions = {
	{ "lower", "AbC" }, { "upper", "AbC" }, { "lower", 5 }, { "lower", 1.5 }, { "lower", true }, { "lower", nil }, { "lower", {} }, { "lower" },
	{ "lower", "x", "y" }, { "base64", "abc" }, { "b64dec", "YWJj" }, { "b64dec", "!!" }, { "hex", "ab" }, { "hex2i", "ff" }, { "hex2i", "zz" },
	{ "add", 5, 3 }, { "add", "5", "3" }, { "add", "x", 1 }, { "add", 5 }, { "add", 5, "x" }, { "div", 7, 2 }, { "div", 7, 0 }, { "mod", 7, 0 }, { "neg", 5 },
	{ "not", 0 }, { "bool", 7 }, { "odd", 3 }, { "even", 3 }, { "cpl", 0 }, { "mul", 9223372036854775807, 2 }, { "crc32", "abc" }, { "crc32", "abc", 1 }, { "crc32c", "abc" },
	{ "djb2", "abc" }, { "sdbm", "abc" }, { "wt6", "abc" }, { "xxh32", "abc" }, { "xxh64", "abc" }, { "sha1", "abc" }, { "sha2", "abc", 256 }, { "sha2", "abc", 257 },
	{ "digest", "abc", "md5" }, { "field", "a,b,c", 2, "," }, { "field", "a,b,c", 2 }, { "field", "a,b,c", 9, "," }, { "word", "a b c", 2, " " }, { "word", "a b c", -1, " " },
	{ "bytes", "abcdef", 2, 3 }, { "bytes", "abcdef", 2 }, { "length", "abc" }, { "regsub", "abc", "b", "X" }, { "regsub", "abcb", "b", "X", "g" }, { "regsub", "abc", "(", "X" },
	{ "url_dec", "a%20b" }, { "url_enc", "a b" }, { "json", "a\"b" }, { "json", "a", "utf8" }, { "json", "a", "nosuch" }, { "json_query", '{"a":5}', "$.a" }, { "json_query", '{"a":"x"}', "$.a" },
	{ "json_query", '{"a":true}', "$.a" }, { "ipmask", "192.0.2.77", 24 }, { "ipmask", "192.0.2.77", "255.0.0.0" }, { "ipmask", "x", 24 }, { "ltime", 0, "%Y" }, { "utime", 0, "%Y-%m-%d" },
	{ "http_date", 0 }, { "http_date", "0" }, { "http_date", 0, 1 }, { "language", "fr,en;q=0.5", "en;fr" }, { "map", "a", "some.map" }, { "map", "z", "some.map" }, { "map", "z", "some.map", "default" },
	{ "map", "a", "nosuch.map" }, { "map_int", "7", "some.map" }, { "map_str", "a", "some.map" }, { "map_beg", "abc", "some.map" }, { "map_str_int", "b", "some.map" }, { "in_table", "1.2.3.4", "table" }, { "in_table", "1.2.3.4", "nosuch" },
	{ "table_http_req_cnt", "192.0.2.7", "table" }, { "set_var", "x", "txn.conv" }, { "unset_var", "x", "txn.conv" }, { "iif", 1, "yes", "no" }, { "iif", true, "yes", "no" },
	{ "strcmp", "a", "txn.v" }, { "concat", "a", "b", "txn.v", "c" }, { "ungrpc", "a", 1 }, { "nosuch", "x" }, { "htonl", 1 }, { "rtrim", "abxx", "x" }, { "ltrim", "xxab", "x" },
	{ "param", "a=1&b=2", "b" }, { "mqtt_is_valid", "x" }, { "debug", "x" }, { "cut_crlf", "a\r\nb" }, { "capture_req", "x", 0 }, { "and", 7, 3 }, { "or", 4, 3 }, { "xor", 7, 3 }, { "sub", 7, "txn.i" }, { "add", 7, "txn.i" },
	{ "be2dec", "\1\2", ":", 1 }, { "be2hex", "\1\2", ":", 1 }, { "protobuf", "x", 1 }, { "secure_memcmp", "abc", "txn.v" },
	{ "hmac", "abc", "sha256", "a2V5" }, { "aes_gcm_dec", "x" }, { "jwt_header_query", "x" }, { "utime", "x", "%Y" },
}
fetches("converter_all", "c", conversions)
fetches("converter_strings", "sc", conversions)
case("converter_loose", function(txn, say, try)
	try("with a dot", function() return txn.c.lower("X") end)
	try("wrong object", function() return txn.c.lower(txn, "X") end)
	try("of fetches", function() return txn.c.lower(txn.f, "X") end)
	local count, dots = 0, 0
	for name in pairs(methods_of(txn.c)) do
		count = count + 1
		dots = dots + (name:find("[.%-]") and 1 or 0)
	end
	say("many", count > 50, dots)
	say("zero byte", txn.c:lower("A\0B"))
	say("long", #(txn.c:lower(("X"):rep(10000)) or ""), #(txn.c:lower(("X"):rep(40000)) or ""))
	say("error inside a chain", select("#", txn.c:lower("x")))
end)
case("fetch_res", function(txn, say, try)
	local f, sf = txn.f, txn.sf
	for _, w in ipairs { { "status" }, { "res_hdr", "x-res" }, { "res_fhdr", "x-res" }, { "res_hdr_cnt", "x-res" }, { "res_ver" },
		{ "path" }, { "hdr", "x-a" }, { "method" }, { "req_hdr", "host" }, { "srv_name" }, { "srv_id" }, { "bc_http_major" },
		{ "capture_req_uri" }, { "capture_req_hdr", 0 }, { "res_hdr_names" }, { "shdr", "server" }, { "res_comp" }, { "hdr", "x-res" } } do
		local name = w[1]
		if f[name] then
			try(name, f[name], f, table.unpack(w, 2))
			try("  s", sf[name], sf, table.unpack(w, 2))
		else
			say(name, "no such function")
		end
	end
end, { "http-res" })
case("fetch_tcp", function(txn, say, try)
	local f, sf = txn.f, txn.sf
	for _, w in ipairs { { "src" }, { "req_len" }, { "req_payload", 0, 5 }, { "payload", 0, 5 }, { "payload", 0, 500 }, { "path" }, { "method" }, { "hdr", "x" },
		{ "res_len" }, { "wait_end" }, { "req_proto_http" }, { "fe_name" }, { "status" } } do
		local name = w[1]
		if f[name] then
			try(name, f[name], f, table.unpack(w, 2))
			try("  s", sf[name], sf, table.unpack(w, 2))
		end
	end
	say("http", txn.http)
	say("get_headers", pcall(function() return txn.http:req_get_headers() end))
end, { "tcp-req" })
case("body", function(txn, say, try)
	say("body", txn.f:req_body())
	say("length", txn.f:req_body_len(), txn.f:req_body_size())
	say("param", txn.sf:req_body_param("a"))
	say("bin", txn.sf:req_body())
end)
