-- SPDX-License-Identifier: BSD-2-Clause
-- The class HTTP: headers, start lines, from both sides.
local function both(name, f)
	case(name, f, { "http-req", "http-res" })
end
case("req_headers", function(txn, say, try)
	local h = txn.http:req_get_headers()
	say("all", h)
	say("first", h["x-a"][0], h["x-a"][1], h["X-A"], h["none"])
	say("#", #h["x-a"])
	try("argument", txn.http.req_get_headers, txn.http, "x")
	try("no object", txn.http.req_get_headers)
	try("wrong object", txn.http.req_get_headers, txn)
	h["x-a"][0] = "changed"
	say("again", txn.http:req_get_headers()["x-a"])
	local meta = getmetatable(h)
	say("meta", meta and show(meta) or "none")
	say("response", pcall(txn.http.res_get_headers, txn.http))
end)
case("res_headers", function(txn, say, try)
	say("all", txn.http:res_get_headers())
	say("request", pcall(txn.http.req_get_headers, txn.http))
end, { "http-res" })
local function act(name, f)
	core.register_action(name, { "http-req", "http-res" }, function(txn) f(txn.http) end)
	core.register_action(name .. "_shown", { "http-req", "http-res" }, function(txn)
		local res = txn.f:status() ~= nil
		txn:set_var(res and "res.said" or "txn.said", shown(f, txn.http))
	end)
end
for name, words in pairs {
	add_header = { "x-new", "value" }, add_existing = { "x-a", "9" }, add_upper = { "X-New", "value" }, add_empty = { "x-new", "" },
	add_number = { "x-new", 5 }, add_nil = { "x-new", nil }, add_table = { "x-new", {} }, add_bool = { "x-new", true }, add_one = { "x-new" }, add_many = { "x-new", "a", "b" },
	add_space = { "x new", "v" }, add_void = { "", "v" }, add_zero = { "x-new", "a\0b" },
	add_host = { "host", "other" }, add_length = { "content-length", "5" }, add_long = { "x-new", ("x"):rep(600) }, add_huge = { "x-new", ("x"):rep(20000) },
} do
	for _, side in ipairs { "req", "res" } do
		act(side .. "_" .. name, function(http) return http[side .. "_add_header"](http, table.unpack(words, 1, 2)) end)
	end
end
act("req_add_none", function(http) return http:req_add_header() end)
act("req_add_three", function(http) return http:req_add_header("a", "b", "c") end)
for _, side in ipairs { "req", "res" } do
	local name = side == "req" and "x-a" or "x-res"
	act(side .. "_del", function(http) return http[side .. "_del_header"](http, name) end)
	act(side .. "_del_upper", function(http) return http[side .. "_del_header"](http, name:upper()) end)
	act(side .. "_del_none", function(http) return http[side .. "_del_header"](http, "none") end)
	act(side .. "_del_nothing", function(http) return http[side .. "_del_header"](http) end)
	act(side .. "_set", function(http) return http[side .. "_set_header"](http, name, "only") end)
	act(side .. "_set_new", function(http) return http[side .. "_set_header"](http, "X-New", "only") end)
	act(side .. "_set_nil", function(http) return http[side .. "_set_header"](http, name, nil) end)
	act(side .. "_rep_header", function(http) return http[side .. "_rep_header"](http, name, "(.*)o(.*)", "<\\2-\\1-\\0>") end)
	act(side .. "_rep_value", function(http) return http[side .. "_rep_value"](http, name, "(.*)o(.*)", "<\\2-\\1>") end)
	act(side .. "_rep_part", function(http) return http[side .. "_rep_header"](http, name, "one", "ONE") end)
	act(side .. "_rep_value_part", function(http) return http[side .. "_rep_value"](http, name, "ne", "NE") end)
	act(side .. "_rep_case", function(http) return http[side .. "_rep_header"](http, name, "ONE", "x") end)
	act(side .. "_rep_no_match", function(http) return http[side .. "_rep_header"](http, name, "zzz", "x") end)
	act(side .. "_rep_bad", function(http) return http[side .. "_rep_header"](http, name, "(", "x") end)
	act(side .. "_rep_empty", function(http) return http[side .. "_rep_header"](http, name, ".*", "") end)
	act(side .. "_rep_percent", function(http) return http[side .. "_rep_header"](http, name, "one", "%1 %[src]") end)
	act(side .. "_rep_three", function(http) return http[side .. "_rep_header"](http, name, "x") end)
end
for name, value in pairs { plain = "/new", query = "/new?x=1", empty = "", relative = "new", star = "*", space = "/a b", number = 5,
	absolute = "http://other/x", encoded = "/%41", long = "/" .. ("x"):rep(300) } do
	act("set_path_" .. name, function(http) return http:req_set_path(value) end)
	act("set_uri_" .. name, function(http) return http:req_set_uri(value) end)
	act("set_query_" .. name, function(http) return http:req_set_query(value) end)
end
act("set_path_huge", function(http) return http:req_set_path("/" .. ("x"):rep(20000)) end)
act("set_query_mark", function(http) return http:req_set_query("?a=b") end)
act("set_path_nil", function(http) return http:req_set_path(nil) end)
act("set_path_nothing", function(http) return http:req_set_path() end)
for name, value in pairs { post = "POST", lower = "get", own = "OWN", empty = "", space = "A B", number = 5, head = "HEAD" } do
	act("set_method_" .. name, function(http) return http:req_set_method(value) end)
end
for name, words in pairs { plain = { 404 }, reason = { 404, "Own reason" }, digits = { "404" }, word = { "x" }, high = { 600 },
	unknown = { 418 }, unknown2 = { 499 }, empty = { 404, "" }, float = { 404.5 }, number = { 404, 5 }, none = {}, nilreason = { 404, nil }, many = { 404, "a", "b" }, no_content = { 204 } } do
	act("set_status_" .. name, function(http) return http:res_set_status(table.unpack(words)) end)
end
both("sides", function(txn, say, try)
	local http = txn.http
	try("req_get_headers", function() return type(http:req_get_headers()) end)
	try("res_get_headers", function() return type(http:res_get_headers()) end)
	local function t(name, ...)
		local words = table.pack(...)
		try(name, function() return type((http[name](http, table.unpack(words)))) end)
	end
	t("req_add_header", "x-q", "1")
	t("req_set_header", "x-q", "1")
	t("req_del_header", "x-q")
	t("req_rep_header", "x-q", "a", "b")
	t("req_rep_value", "x-q", "a", "b")
	t("req_set_method", "GET")
	t("req_set_path", "/p")
	t("req_set_query", "q")
	t("req_set_uri", "/u")
	t("res_add_header", "x-r", "1")
	t("res_set_header", "x-r", "1")
	t("res_del_header", "x-r")
	t("res_rep_header", "x-r", "a", "b")
	t("res_rep_value", "x-r", "a", "b")
	t("res_set_status", 200)
end)
case("sides_res", function(txn, say, try)
	local http = txn.http
	local function t(name, ...)
		local words = table.pack(...)
		try(name, function() return type((http[name](http, table.unpack(words)))) end)
	end
	t("req_get_headers")
	t("req_add_header", "x-q", "1")
	t("req_set_header", "x-q", "1")
	t("req_del_header", "x-q")
	t("req_rep_header", "x-q", "a", "b")
	t("req_rep_value", "x-q", "a", "b")
	t("req_set_method", "GET")
	t("req_set_path", "/p")
	t("req_set_query", "q")
	t("req_set_uri", "/u")
	t("res_add_header", "x-r", "1")
	t("res_set_status", 200)
end, { "http-res" })
case("sides_error_object", function(txn, say, try)
	local ok, e = pcall(txn.http.res_add_header, txn.http, "a", "b")
	say("object", ok, type(e), e == txn.http)
	say("tostring", (tostring(e):gsub("0x%x+", "")))
end)
act("side_wrong_unprotected", function(http) http:res_add_header("a", "b") end)
act("many", function(http)
	for i = 1, 30 do http:req_add_header("x-" .. i, i) end
end)
core.register_action("kept_http", { "http-req" }, function(txn) kept_http = txn.http end)
core.register_action("use_kept", { "http-res" }, function(txn)
	txn:set_var("res.said", shown(function() return type(kept_http:req_get_headers()) end))
end)
