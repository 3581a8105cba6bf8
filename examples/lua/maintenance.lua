-- A switch for operators: a command of the stats socket that takes a site off, and brings it back.
-- maintenance.cfg uses it.
--
--     echo "maintenance on www.example.org new disks" | socat - /run/penstock.sock
--     echo "maintenance off www.example.org" | socat - /run/penstock.sock
--     echo "maintenance show www.example.org" | socat - /run/penstock.sock
--
-- One worker is asked, and all of them have to know: the switch is an entry of a map, which is
-- common to all. It lasts until the next reload, which reads the map's file.

local MAP = "/etc/penstock/lua/maintenance.map"
local map = Map.new(MAP, Map._str)

local function site_of(applet, site)
	if site and site:find("^[%w.-]+$") then
		return site:lower()
	end
	applet:send("Which site? maintenance on|off|show SITE\n")
	return nil
end

-- A command's function gets an object to answer by, and then all words of the line.
core.register_cli({ "maintenance", "on" }, "maintenance on SITE [why] : takes a site off",
	function(applet, _, _, site, ...)
		site = site_of(applet, site)
		if site then
			local why = table.concat({ ... }, " ")
			core.set_map(MAP, site, why ~= "" and why or "maintenance")
			applet:send(site .. " is off\n")
		end
	end)

core.register_cli({ "maintenance", "off" }, "maintenance off SITE : brings a site back",
	function(applet, _, _, site)
		site = site_of(applet, site)
		if site then
			core.del_map(MAP, site)
			applet:send(site .. " is back\n")
		end
	end)

core.register_cli({ "maintenance", "show" }, "maintenance show SITE : is it off, and why?",
	function(applet, _, _, site)
		site = site_of(applet, site)
		if site then
			local why = map:lookup(site)
			applet:send(site .. (why and " is off: " .. why or " is served") .. "\n")
		end
	end)
