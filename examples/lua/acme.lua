-- Answers an authority of certificates that wants to see a token (ACME, RFC 8555, http-01),
-- whichever worker and whichever site it asks. acme.cfg uses it; acme-hook tells it the tokens.
--
--     http-request use-service lua.acme if { path_beg /.well-known/acme-challenge/ }
--
--     echo "acme add TOKEN KEY-AUTHORIZATION" | socat - /run/penstock.sock
--     echo "acme del TOKEN" | socat - /run/penstock.sock

local MAP = "/etc/penstock/lua/acme.map"
local map = Map.new(MAP, Map._str)
local PREFIX = "^/%.well%-known/acme%-challenge/([%w_-]+)$"

-- A service answers in the place of a server: status, fields, start_response(), then the body.
core.register_service("acme", "http", function(applet)
	local token = applet.path:match(PREFIX)
	local answer = token and map:lookup(token)
	local body = answer or "There is no such token.\n"

	applet:set_status(answer and 200 or 404)
	applet:add_header("content-type", answer and "application/octet-stream" or "text/plain")
	applet:add_header("content-length", tostring(#body))
	applet:add_header("cache-control", "no-store")
	applet:start_response()
	applet:send(body)
end)

-- Both are made of the characters of base64url, the second one with a dot between two parts.
local function is_token(text)
	return text and #text <= 200 and text:find("^[%w_-]+$")
end

core.register_cli({ "acme", "add" }, "acme add TOKEN KEY-AUTHORIZATION : answers for a token",
	function(applet, _, _, token, answer)
		if not is_token(token) or not answer or not answer:find("^[%w_-]+%.[%w_-]+$") then
			applet:send("No token: acme add TOKEN KEY-AUTHORIZATION\n")
			return
		end
		core.set_map(MAP, token, answer)
		applet:send("added\n")
	end)

core.register_cli({ "acme", "del" }, "acme del TOKEN : forgets a token",
	function(applet, _, _, token)
		if not is_token(token) then
			applet:send("No token: acme del TOKEN\n")
			return
		end
		core.del_map(MAP, token)
		applet:send("deleted\n")
	end)
