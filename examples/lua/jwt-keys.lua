-- Keeps the keys that JSON Web Tokens are verified with: asks an authority for its key set (a JWKS
-- of RFC 7517) now and then, and puts the keys into a map. The rules of jwt.cfg do the rest.
--
-- Each worker has a state of Lua of its own, so a table here would be known in one of them. A map
-- is common to all: core.set_map changes it everywhere. And a task of lua-load runs once for all
-- workers; when its worker dies, another one begins it anew.
--
-- Keys are symmetric ("kty": "oct"): their secret, in base64url, is the map's value. Public keys of
-- RS256 and ES256 are files that the configuration names: jwt_verify reads them when it starts.

local json = require("json")

local URL = "http://10.0.8.5:8080/keys"
local MAP = "/etc/penstock/lua/jwt-keys.map"
local REFRESH_S = 60
local RETRY_S = 1 -- after a failure: sooner than usual
local known = {}  -- names of keys, as this task has put them into the map

-- A table of secrets by the names of their keys; or an error.
local function fetch()
	local answer = core.httpclient():get({ url = URL, timeout = 2000 })
	if answer.status ~= 200 then
		error("the authority says " .. answer.status, 0)
	end
	local keys = {}
	for _, key in ipairs(json.decode(answer.body).keys) do
		if key.kty == "oct" and key.kid and key.k then
			keys[key.kid] = key.k
		end
	end
	if next(keys) == nil then
		error("the key set has no key", 0)
	end
	return keys
end

local function update(keys)
	for kid, secret in pairs(keys) do
		core.set_map(MAP, kid, secret)
	end
	for kid in pairs(known) do
		if not keys[kid] then
			core.del_map(MAP, kid)
		end
	end
	known = keys
end

core.register_task(function()
	while true do
		-- pcall catches errors: the keys stay as they are, and the task goes on.
		local good, result = pcall(fetch)
		if good then
			update(result)
		else
			core.Warning("keys of tokens are as they were: " .. tostring(result))
		end
		core.sleep(good and REFRESH_S or RETRY_S)
	end
end)

-- The map is read by the rules, and by core.set_map; Map.new makes sure that it is there.
Map.new(MAP, Map._str)
