-- A small reader of JSON (RFC 8259), for scripts that need no more; "local json = require('json')"
-- finds it by lua-prepend-path. The package lua-cjson is faster, and writes JSON as well.
--
-- json.decode(text) gives the value: objects and lists are tables, null is json.null. What is wrong
-- is an error, to be caught by pcall.

local json = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local DEPTH_MOST = 100
local value -- below

local function fail(at, what)
	error(("JSON: %s at byte %d"):format(what, at), 0)
end

local function skip(text, at)
	return text:find("[^ \t\r\n]", at) or #text + 1
end

local ESCAPES = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r",
	t = "\t" }

-- \uD83D\uDE00 is one character: two halves of it.
local function code_point(text, at)
	local high = text:match("^\\u(%x%x%x%x)", at) or fail(at, "an escape that is none")
	high = tonumber(high, 16)
	if high < 0xd800 or high > 0xdbff then
		return utf8.char(high), at + 6
	end
	local low = text:match("^\\u([dD][c-fC-F]%x%x)", at + 6) or fail(at, "half a character")
	return utf8.char(0x10000 + (high - 0xd800) * 0x400 + tonumber(low, 16) - 0xdc00), at + 12
end

-- at: behind the first quote.
local function string_at(text, at)
	local parts = {}
	while true do
		local stop = text:find('["\\%c]', at) or fail(at, "a string without an end")
		local char = text:sub(stop, stop)
		parts[#parts + 1] = text:sub(at, stop - 1)
		if char == '"' then
			return table.concat(parts), stop + 1
		elseif char ~= "\\" then
			fail(stop, "a control character")
		end
		local next_char = text:sub(stop + 1, stop + 1)
		if next_char == "u" then
			parts[#parts + 1], at = code_point(text, stop)
		else
			parts[#parts + 1] = ESCAPES[next_char] or fail(stop, "an unknown escape")
			at = stop + 2
		end
	end
end

-- What stands between two brackets, comma by comma. at: behind the first one.
local function elements(text, at, close, element)
	at = skip(text, at)
	if text:sub(at, at) == close then
		return at + 1
	end
	while true do
		at = skip(text, element(at))
		local char = text:sub(at, at)
		if char == close then
			return at + 1
		elseif char ~= "," then
			fail(at, "a comma is missing")
		end
		at = skip(text, at + 1)
	end
end

local function object_at(text, at, depth)
	local object = {}
	at = elements(text, at, "}", function(from)
		local key
		if text:sub(from, from) ~= '"' then
			fail(from, "a name is missing")
		end
		key, from = string_at(text, from + 1)
		from = skip(text, from)
		if text:sub(from, from) ~= ":" then
			fail(from, "a colon is missing")
		end
		object[key], from = value(text, skip(text, from + 1), depth)
		return from
	end)
	return object, at
end

local function list_at(text, at, depth)
	local list = {}
	at = elements(text, at, "]", function(from)
		list[#list + 1], from = value(text, from, depth)
		return from
	end)
	return list, at
end

local WORDS = { ["true"] = true, ["false"] = false, ["null"] = json.null }

local function word_at(text, at)
	local word = text:match("^%a+", at)
	if word and WORDS[word] ~= nil then
		return WORDS[word], at + #word
	end
	local number = text:match("^%-?%d+%.?%d*[eE]?[+-]?%d*", at)
	if not number or not tonumber(number) or number:find("^%-?0%d") then
		fail(at, "no value")
	end
	return tonumber(number), at + #number
end

function value(text, at, depth)
	local char = text:sub(at, at)
	if depth > DEPTH_MOST then
		fail(at, "too deep")
	elseif char == "{" then
		return object_at(text, at + 1, depth + 1)
	elseif char == "[" then
		return list_at(text, at + 1, depth + 1)
	elseif char == '"' then
		return string_at(text, at + 1)
	end
	return word_at(text, at)
end

function json.decode(text)
	local decoded, at = value(text, skip(text, 1), 0)
	at = skip(text, at)
	if at <= #text then
		fail(at, "something behind the value")
	end
	return decoded
end

return json
