-- SPDX-License-Identifier: BSD-2-Clause
-- What the cases share.

-- One value, in a form that is always the same.
function show(v, depth)
	local t = type(v)
	if t == "string" then
		return '"' .. v:gsub("[%c\\\"\128-\255]", function(c)
			return string.format("\\x%02x", c:byte())
		end) .. '"'
	elseif t == "number" then
		return math.type(v) == "float" and "float " .. v or tostring(v)
	elseif t == "table" then
		if (depth or 0) > 3 then
			return "{...}"
		end
		local keys = {}
		for k in pairs(v) do
			keys[#keys + 1] = k
		end
		table.sort(keys, function(a, b)
			if type(a) == type(b) and type(a) ~= "table" and type(a) ~= "userdata" then
				return a < b
			end
			return type(a) < type(b)
		end)
		local words = {}
		for _, k in ipairs(keys) do
			local name = type(k) == "string" and k or "[" .. tostring(k) .. "]"
			words[#words + 1] = name .. "=" .. show(v[k], (depth or 0) + 1)
		end
		return "{" .. table.concat(words, ", ") .. "}"
	elseif t == "function" or t == "userdata" or t == "thread" then
		return t
	end
	return tostring(v)
end

function shows(...)
	local words = {}
	for i = 1, select("#", ...) do
		words[i] = show((select(i, ...)))
	end
	return table.concat(words, " ")
end

-- shown(f, ...): what a call returns, or its error.
function shown(f, ...)
	local r = table.pack(pcall(f, ...))
	if r[1] then
		return shows(table.unpack(r, 2, r.n))
	end
	return "error " .. show(r[2])
end

-- The methods of an object, if its metatable shows them.
function methods_of(object)
	local meta = getmetatable(object)
	local methods = type(meta) == "table" and meta.__index
	return type(methods) == "table" and methods or {}
end

-- case(NAME, FUNCTION [, ENVIRONMENTS [, NUMBER]]): an action lua.NAME. The function is given the
-- TXN, a function to say what is found (a title, then values), and the arguments of the rule. What
-- is said is the answer's body, or a header "x-said" of a response, or in the log (mode tcp).
function case(name, func, where, nb_args)
	local res = where and where[1]:find("res") and true
	core.register_action(name, where or { "http-req" }, function(txn, ...)
		local said = {}
		local function say(title, ...)
			said[#said + 1] = title .. ": " .. shows(...)
		end
		local function try(title, f, ...)
			said[#said + 1] = title .. ": " .. shown(f, ...)
		end
		local ok, e = pcall(func, txn, say, try, ...)
		if not ok then
			said[#said + 1] = "raised " .. show(e)
		end
		local apart = (res or where and where[1]:find("tcp")) and "; " or "\n"
		txn:set_var(res and "res.said" or "txn.said", table.concat(said, apart))
		if ok then
			return e
		end
	end, nb_args or 0)
end
