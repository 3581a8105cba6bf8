-- SPDX-License-Identifier: BSD-2-Clause
-- Certificates that scripts put in force: for cert_cache.sh. Its arguments: the folder of certificates,
-- the entry of the bind line.
local folder, entry = ...
local function read(name)
	local file <close> = assert(io.open(folder .. "/" .. name))
	return file:read("a")
end
local cert, key, both = read("second.crt"), read("second.key"), read("third.pem")
local other_key = read("other.key")

local function set(title, what)
	core.register_cli({ "cert", title }, "", function(applet)
		local ok, e = pcall(CertCache.set, what)
		applet:send(ok and "set\n" or tostring(e) .. "\n")
	end)
end
set("apart", { filename = entry, crt = cert, key = key })
set("both", { filename = entry, crt = both })
set("mismatch", { filename = entry, crt = cert, key = other_key })
set("nokey", { filename = entry, crt = cert })
set("broken", { filename = entry, crt = "nonsense" })
set("nothing", { filename = entry })
set("unknown", { filename = entry .. "x", crt = both })
set("noname", { crt = both })
set("number", { filename = entry, crt = 5 })
set("zero", { filename = entry, crt = both .. "\0" })
set("ocsp", { filename = entry, ocsp = "?" })
set("notable", "x")

local ok, e = pcall(CertCache.set, { filename = entry, crt = both })
core.Info("while files are read: " .. tostring(e))
core.register_init(function()
	CertCache.set { filename = entry, crt = read("begin.pem") }
end)
