-- Cross-origin requests (CORS): scripts of other sites, which are named, may use this one. cors.cfg
-- uses it.
--
--     http-request lua.cors
--     http-response lua.cors
--
-- A browser that is about to send something unusual for a page of another site asks first, by
-- OPTIONS (the "preflight"): this is answered here, and no server sees it. The answers of servers
-- get the fields that let the page read them. What a server says itself about origins is taken
-- away: one place decides.

local allowed = {
	["https://app.example.org"] = true,
	["https://admin.example.org"] = true,
}
local METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
local HEADERS = "authorization, content-type, x-requested-with"
local EXPOSED = "x-request-id"
local ASKED = "access-control-request-method, access-control-request-headers"
local MAX_AGE = "600" -- seconds that a browser may keep the answer to a preflight

-- With credentials (cookies) the origin has to be named: a star would not do. So answers differ by
-- Origin, and a cache has to know it: Vary, also where the origin is not allowed.
local function preflight(txn, origin)
	local reply = txn:reply({ status = allowed[origin] and 204 or 403 })
	reply:add_header("vary", "origin, " .. ASKED)
	if allowed[origin] then
		reply:add_header("access-control-allow-origin", origin)
		reply:add_header("access-control-allow-credentials", "true")
		reply:add_header("access-control-allow-methods", METHODS)
		reply:add_header("access-control-allow-headers", HEADERS)
		reply:add_header("access-control-max-age", MAX_AGE)
	end
	txn:done(reply)
end

core.register_action("cors", { "http-req" }, function(txn)
	local headers = txn.http:req_get_headers()
	local origin = headers["origin"] and headers["origin"][0]
	if not origin then
		return
	end
	-- The response's rule cannot see the request any more: a variable of the transaction lasts.
	txn:set_var("txn.origin", origin)
	if txn.sf:method() == "OPTIONS" and headers["access-control-request-method"] then
		preflight(txn, origin)
	end
end)

core.register_action("cors", { "http-res" }, function(txn)
	local origin = txn:get_var("txn.origin")
	for name in pairs(txn.http:res_get_headers()) do
		if name:find("^access%-control%-") then
			txn.http:res_del_header(name)
		end
	end
	txn.http:res_add_header("vary", "origin")
	if origin and allowed[origin] then
		txn.http:res_set_header("access-control-allow-origin", origin)
		txn.http:res_set_header("access-control-allow-credentials", "true")
		txn.http:res_set_header("access-control-expose-headers", EXPOSED)
	end
end)
