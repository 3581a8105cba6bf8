-- SPDX-License-Identifier: BSD-2-Clause
-- Published modules, as their packages have them: lua-cjson, luajson, lpeg, lua-socket, basexx, lua-http.
local cjson, json, lpeg, re = require "cjson", require "json", require "lpeg", require "re"
local ltn12, mime, url = require "ltn12", require "mime", require "socket.url"
local basexx = require "basexx"
local headers, util, cookie = require "http.headers", require "http.util", require "http.cookie"
local hpack, hsts, reasons = require "http.hpack", require "http.hsts", require "http.h1_reason_phrases"

local function service(name, f)
	core.register_service(name, "http", function(applet)
		local said = {}
		local function say(title, ...) said[#said + 1] = title .. ": " .. shows(...) end
		local function try(title, g, ...) said[#said + 1] = title .. ": " .. shown(g, ...) end
		f(applet, say, try)
		local text = table.concat(said, "\n") .. "\n"
		applet:set_status(200)
		applet:add_header("content-length", #text)
		applet:start_response()
		applet:send(text)
	end)
end

-- A number of JSON, whatever the version of Lua made of it.
local function numbers(v)
	if type(v) == "number" then return string.format("%.14g", v) end
	if type(v) ~= "table" then return v end
	local t = {}
	for k, x in pairs(v) do t[k] = numbers(x) end
	return t
end

-- ---- JSON ----------------------------------------------------------------------------------

service("cjson", function(applet, say, try)
	local body = applet:receive()
	local ok, value = pcall(cjson.decode, body)
	say("decoded", ok, numbers(value))
	if ok then try("again", function() return numbers(cjson.decode(cjson.encode(value))) end) end
end)
case("cjson_values", function(txn, say, try)
	for _, v in ipairs { "[]", "{}", "null", "[null]", "1e3", "[1,2.5,-3]", '"\\u00e9\\ud83d\\ude00\\n"', "tru", "[1,]",
		'{"a":{"b":[{}]}}', '"\0"', "", "[1", "nan", "0x10" } do
		try("decode " .. v, function() return numbers(cjson.decode(v)) end)
	end
	for _, v in ipairs { { 1, 2, "three" }, { a = "b" }, { [3] = 1 }, { [1000] = 1 }, { print }, 0 / 0, "\1\"/\\\127" } do
		try("encode", cjson.encode, v)
	end
	local deep = {}
	for _ = 1, 1100 do deep = { deep } end
	try("deep", cjson.encode, deep)
	try("deep text", cjson.decode, ("["):rep(1100) .. ("]"):rep(1100))
	local own = cjson.new()
	own.encode_max_depth(3)
	own.decode_max_depth(2)
	own.encode_number_precision(3)
	try("own depth", own.encode, { { { { 1 } } } })
	try("own depth of texts", own.decode, "[[[1]]]")
	try("own precision", own.encode, 3.14159)
	say("null is one", cjson.null == cjson.decode("null"), type(cjson.null))
end)
case("cjson_body", function(txn, say, try)
	local ok, told = pcall(cjson.decode, txn.f:req_body())
	say("body", ok, numbers(told))
	if ok then
		txn.http:req_set_header("x-user", told.user.name)
		txn:set_var("txn.user", cjson.encode(told.user.name))
		say("variable", txn:get_var("txn.user"))
	end
end)
service("luajson", function(applet, say, try)
	local body = applet:receive()
	local ok, value = pcall(json.decode, body)
	say("decoded", ok, ok and numbers(value))
	if ok then try("again", function() return numbers(json.decode(json.encode(value))) end) end
	ok, value = pcall(json.decode.getDecoder(json.decode.strict), body)
	say("strict", ok, ok and numbers(value))
end)
case("luajson_values", function(txn, say, try)
	for _, v in ipairs { "[]", "{}", "[1,2.5,-3]", '["\\u00e9\\n"]', "[tru]", '{"a":{"b":[{}]}}', "[", "[null]" } do
		say("decode " .. v, (pcall(json.decode, v)))
		try("value", function() return numbers(json.decode(v)) end)
	end
	for _, v in ipairs { { 1, 2, "three" }, { a = "b" }, { true, false, json.util.null } } do
		try("encode", json.encode, v)
	end
	say("a function", (pcall(json.encode, { print })))
	say("null", json.util.isNull and json.util.isNull(json.decode("[null]")[1]) or json.decode("[null]")[1] == json.util.null)
end)

-- ---- grammars ------------------------------------------------------------------------------

local P, R, S, C, Ct, V = lpeg.P, lpeg.R, lpeg.S, lpeg.C, lpeg.Ct, lpeg.V
local languages = Ct((Ct(C(R("az", "AZ")^1 * (P"-" * R("az", "AZ", "09")^1)^0) *
	(P";q=" * C(R"09" * (P"." * R"09"^0)^-1))^-1) * (S", "^1 + -1))^1) * -1
core.register_fetches("language", function(txn)
	local best, most
	for _, l in ipairs(languages:match(txn.sf:req_hdr("accept-language")) or {}) do
		local q = tonumber(l[2] or 1)
		if not most or q > most then best, most = l[1], q end
	end
	return best or "none"
end)
local sum = P { "sum",
	sum = lpeg.Cf(V"product" * lpeg.Cg(C(S"+-") * V"product")^0, function(a, o, b) return o == "+" and a + b or a - b end),
	product = lpeg.Cf(V"value" * lpeg.Cg(C(S"*/") * V"value")^0, function(a, o, b) return o == "*" and a * b or a // b end),
	value = R"09"^1 / tonumber + "(" * V"sum" * ")",
}
core.register_converters("sum", function(text) return tostring((sum * -1):match(text)) end)
case("lpeg", function(txn, say, try)
	say("sum", (sum * -1):match("1+2*(3+4)-10/2"), (sum * -1):match("1+"))
	say("version", type(lpeg.version), type(P(1)), lpeg.type(P(1)), lpeg.type(1))
	try("left recursion", function() return P { V(1) } end)
	try("empty loop", function() return P""^1 end)
	try("backtracks", function() return (P { P"a" * V(1) + "b" }):match(("a"):rep(10000) .. "b") end)
	try("raises inside", function() return (P"a" / function() error("inside") end):match("a") end)
	try("raises when matched", function() return lpeg.Cmt("a", function() error("inside") end):match("a") end)
	say("substitutes", lpeg.Cs((P"a" / "b" + 1)^0):match("banana"))
	say("waits", (pcall(function() return lpeg.Cmt("a", function() core.msleep(1) return true end):match("a") end)))
	say("re", re.find("the number 423 is odd", "[0-9]+"), re.gsub("hello world", "[aeiou]", "."))
	local csv = re.compile[[ line <- {| field (',' field)* |} !. field <- '"' {~ ([^"] / '""' -> '"')* ~} '"' / {[^,"]*} ]]
	say("csv", csv:match('a,"b ""c""",,d'))
	try("re that is wrong", re.compile, "a <-")
end)

-- ---- addresses of resources ----------------------------------------------------------------

core.register_action("url", { "http-req" }, function(txn)
	local u = url.parse("http://" .. txn.sf:req_hdr("host") .. txn.sf:url())
	txn.http:req_set_header("x-path", show(url.parse_path(u.path)))
	txn.http:req_set_header("x-url", url.build { scheme = "https", host = u.host, path = u.path, query = u.query })
	txn.http:req_set_path(url.absolute(u.path, "../sibling"))
end)
case("url_values", function(txn, say, try)
	for _, v in ipairs { "http://user:pw@host:80/p;x?q#f", "//host/p", "/p?q", "mailto:a@b", "", "http://[::1]:80/", "a b" } do
		try("parse " .. v, url.parse, v)
	end
	for _, v in ipairs { "g", "./g", "/g", "//g", "?y", "g?y", "#s", "..", "../../../g", "g;x=1/../y", "http:g" } do
		try("absolute " .. v, url.absolute, "http://a/b/c/d;p?q", v)
	end
	say("escapes", url.escape("a b/ü?"), url.unescape("%61%20%2f%zz"))
	try("build_path", url.build_path, { "a b", "c", is_absolute = 1 })
end)

-- ---- codings -------------------------------------------------------------------------------

core.register_converters("to_base32", basexx.to_base32)
core.register_converters("from_base32", basexx.from_base32)
core.register_converters("to_base64", basexx.to_base64)
core.register_converters("mime_b64", function(text) return (mime.b64(text)) end)
case("basexx", function(txn, say, try)
	for _, v in ipairs { "", "f", "fo", "foo", "foobar", "\0\255" } do
		try("bit", basexx.to_bit, v)
		try("hex", basexx.to_hex, v)
		try("32", basexx.to_base32, v)
		try("crockford", basexx.to_crockford, v)
		try("64", basexx.to_base64, v)
		try("url64", basexx.to_url64, v)
		try("there and back", function() return basexx.from_base64(basexx.to_base64(v)) == v end)
	end
	try("from 32", basexx.from_base32, "MZXW6===", "=")
	try("from 32 that is none", basexx.from_base32, "1!")
	try("from 64", basexx.from_base64, "Zm9vYmFy")
	try("from url64", basexx.from_url64, "_-8")
	try("from hex", basexx.from_hex, "666f6F")
	try("z85", basexx.to_z85, "\134\79\210\111\181\89\247\91")
	try("z85 of another length", basexx.to_z85, "abc")
end)
case("mime", function(txn, say, try)
	try("b64", mime.b64, "foobar", "baz")
	try("unb64", mime.unb64, "Zm9vYmFyYmF6")
	try("qp", mime.qp, "caf\233 = 1\r\n", nil)
	try("unqp", mime.unqp, "caf=E9 =3D 1")
	try("wrap", mime.wrp, 3, "hello world", 5)
	try("eol", mime.eol, 0, "a\nb\rc\r\nd", "\r\n")
	try("normalize", function() return mime.normalize()("a\nb\n") end)
	local out = {}
	try("pump", ltn12.pump.all, ltn12.source.string(("a line of text "):rep(400)),
		ltn12.sink.chain(ltn12.filter.chain(mime.encode("base64"), mime.wrap("base64")), (ltn12.sink.table(out))))
	say("what came", #out > 1, #table.concat(out), table.concat(out):sub(1, 90))
	try("an error of a source", ltn12.pump.all, ltn12.source.error("broken"), ltn12.sink.null())
end)
-- A body flows through a chain of filters; source and sink wait.
core.register_service("flows", "http", function(applet)
	applet:set_status(200)
	applet:add_header("content-type", "text/plain")
	applet:start_response()
	local function source()
		local piece = applet:receive(1000)
		return #piece > 0 and piece or nil
	end
	local function sink(piece, why)
		if piece and #piece > 0 then applet:send(piece) end
		return 1, why
	end
	ltn12.pump.all(source, ltn12.sink.chain(ltn12.filter.chain(mime.encode("base64"), mime.wrap("base64")), sink))
end)

-- ---- HTTP ----------------------------------------------------------------------------------

case("http_headers", function(txn, say, try)
	local h = headers.new()
	for name, values in pairs(txn.http:req_get_headers()) do
		for i = 0, #values do h:append(name, values[i]) end
	end
	say("sequence", h:get("x-a"), h:has("x-a"), h:has("x-b"), h:get_comma_separated("x-a"))
	h:delete("x-a")
	h:upsert("x-a", "new")
	h:append("authorization", "Basic eDp5", true)
	h:delete("user-agent")
	say("changed", h:get_as_sequence("x-a"), h:len() > 3)
	h:sort()
	local names = {}
	for name, value, never in h:each() do names[#names + 1] = name .. "=" .. value .. (never and "!" or "") end
	say("all", table.concat(names, " "))
	local encoder, decoder = hpack.new(4096), hpack.new(4096)
	encoder:encode_headers(h)
	local block = encoder:render_data()
	encoder:clear_data()
	local back = decoder:decode_headers(block)
	say("hpack", #block > 10, back:len() == h:len(), back:get("authorization"))
	try("hpack that is wrong", function() return pcall(decoder.decode_headers, decoder, "\255\255\255\255\255") end)
end)
case("http_util", function(txn, say, try)
	say("uri", util.encodeURI("a b/ü?"), util.encodeURIComponent("a b/ü?"), util.decodeURI("%61%2f"),
		util.decodeURIComponent("%61%2F"))
	local args = {}
	for k, v in util.query_args(txn.sf:query()) do args[k] = v end
	say("query", args, util.dict_to_query { a = "1 2" })
	say("path", util.resolve_relative_path("/a/b/c", "../d"), util.resolve_relative_path("/", "../.."))
	say("method", util.is_safe_method("GET"), util.is_safe_method("POST"))
	say("address", util.is_ip("127.0.0.1"), util.is_ip("::1"), util.is_ip("1.2.3"), util.is_ip("x"))
	say("authority", util.split_authority("h:8080", "http"), util.to_authority("::1", 443, "https"))
	say("date", util.imf_date(784111777), core.http_date(util.imf_date(784111777)))
	say("quoted", util.maybe_quote("a"), util.maybe_quote('a "b"'), util.maybe_quote("\0"))
	say("reason", reasons["404"], reasons["999"])
end)
case("http_cookie", function(txn, say, try)
	local h = headers.new()
	h:append("cookie", txn.sf:req_hdr("cookie"))
	say("cookies", cookie.parse_cookies(h))
	say("set", cookie.parse_setcookie("a=b; Path=/; Secure; HttpOnly; Max-Age=5"))
	say("baked", cookie.bake("n", "v", 784111777, "h", "/", true, true, "strict"))
	local store = cookie.new_store()
	store.time = function() return 1000 end
	say("stored", store:store("h", "/", true, true, nil, "a", "b", { path = "/" }), store:get("h", "/", "a"))
	local known = hsts.new_store()
	say("hsts", known:store("example.com", { ["max-age"] = "100", includesubdomains = true }),
		known:check("www.example.com"), known:check("example.org"))
end)
