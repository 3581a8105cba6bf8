-- A table of redirects in a JSON file, { "/old": "https://example.org/new", ... }, which is read
-- again when it changes: no reload is needed. redirects.cfg uses it.
--
-- A task reads the file every PAUSE_S seconds, and puts what has changed into a map, which is
-- common to all workers. Lua cannot ask for the time of a file's last change, but the file is
-- small: reading it takes less than a millisecond. Files are seen as the process sees them: below
-- its "chroot", and with the rights of its "user".
--
-- A file that is wrong, or gone, changes nothing, and is told once in the log.

local json = require("json")

local FILE = "/etc/penstock/lua/redirects.json"
local MAP = "/etc/penstock/lua/redirects.map"
local PAUSE_S = 2
local map = Map.new(MAP, Map._str)

-- Names of the entries, themselves an entry: a task that begins anew, in another worker, finds
-- there which ones are no longer in the file. Paths begin with a slash, so it is in nobody's way.
local NAMES = "names"

local function read_file()
	local file, why = io.open(FILE)
	if not file then
		error(why, 0)
	end
	local text = file:read("a")
	file:close()
	return text
end

-- All of it is looked at before anything changes.
local function check(redirects)
	if type(redirects) ~= "table" then
		error("the file is no object", 0)
	end
	for from, to in pairs(redirects) do
		if type(from) ~= "string" or not from:find("^/%S*$") then
			error(("'%s' is no path"):format(from), 0)
		elseif type(to) ~= "string" or not to:find("^%g+$") then
			error(("'%s' leads nowhere"):format(from), 0)
		end
	end
	return redirects
end

local function update(redirects)
	local names = {}
	for from, to in pairs(redirects) do
		core.set_map(MAP, from, to)
		names[#names + 1] = from
	end
	for from in map:slookup(NAMES):gmatch("%S+") do
		if not redirects[from] then
			core.del_map(MAP, from)
		end
	end
	core.set_map(MAP, NAMES, table.concat(names, " "))
	core.Info(("%d redirects"):format(#names))
end

local function read_redirects(text)
	return check(json.decode(text))
end

core.register_task(function()
	local last, complaint
	while true do
		local good, text = pcall(read_file)
		local result = text
		if good and text ~= last then
			last = text
			good, result = pcall(read_redirects, text)
			if good then
				update(result)
			end
		end
		if not good and result ~= complaint then
			core.Warning("redirects are as they were: " .. tostring(result))
		end
		complaint = not good and result or nil
		core.sleep(PAUSE_S)
	end
end)
