-- Balancing of one's own: all requests about one customer go to one server, and the customer stands
-- in the body, where no "balance" of the configuration looks. balance.cfg uses it.
--
--     http-request lua.choose-server BACKEND FIELD
--
-- The action leaves the name of a server in the variable txn.server, and "use-server" of the
-- backend takes it. Without such a field in the body there is no variable, and the backend balances
-- as usual.
--
-- The choice is rendezvous hashing: each server gets a number made of its name and the key, and the
-- largest one wins. Every worker, and every other proxy, comes to the same choice without asking
-- anybody; and when a server goes, only its own customers move.

-- "FIELD": "value", or a number: enough for a key. json.lua reads all of JSON.
local function find_field(body, field)
	local quoted = field:gsub("%p", "%%%0")
	return body:match('"' .. quoted .. '"%s*:%s*"([^"\\]+)"') or
		body:match('"' .. quoted .. '"%s*:%s*(%-?%d+)')
end

-- Servers that may get new requests. The look at them costs more than the hash: once a second is
-- enough, as health checks say nothing new in between.
local seen = {} -- by backend: { at = second, names = { ... } }

local function usable_servers(backend)
	local now, entry = core.now().sec, seen[backend]
	if entry and entry.at == now then
		return entry.names
	end
	local names = {}
	for name, server in pairs(core.backends[backend].servers) do
		local status = server:get_stats().status
		if status == "no check" or status:find("^UP") then
			names[#names + 1] = name
		end
	end
	seen[backend] = { at = now, names = names }
	return names
end

local function choose(txn, backend, key)
	local best, best_weight
	for _, name in ipairs(usable_servers(backend)) do
		local weight = txn.c:xxh32(name .. "/" .. key)
		-- Equal numbers: the name decides, as tables have no order.
		if not best or weight > best_weight or (weight == best_weight and name > best) then
			best, best_weight = name, weight
		end
	end
	return best
end

core.register_action("choose-server", { "http-req" }, function(txn, backend, field)
	local key = find_field(txn.sf:req_body(), field)
	local server = key and choose(txn, backend, key)
	if server then
		txn:set_var("txn.server", server)
	end
end, 2)
