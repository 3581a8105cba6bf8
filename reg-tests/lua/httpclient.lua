-- SPDX-License-Identifier: BSD-2-Clause
-- A service whose query says what it asks for: "url=URL", "post=URL", "connect=NAME&PORT",
-- "connect_ssl=NAME&PORT"; its answer is what came, and how long that took.
local function client(method, url, dst, timeout)
	local r = core.httpclient()[method](core.httpclient(), {
		url = url, dst = dst ~= "" and dst or nil, timeout = tonumber(timeout),
		body = method == "post" and "x" or nil,
	})
	return r.status .. " " .. r.body
end

local function connects(how, address, port)
	local s = core.tcp()
	s:settimeout(20)
	local ok, why = s[how](s, address, tonumber(port))
	if not ok then return "nil " .. why end
	s:send("GET / HTTP/1.0\r\n\r\n")
	local said = s:receive("*a") or ""
	s:close()
	return said:match("^HTTP/1.1 (%d+)") .. " " .. (said:match("\r\n\r\n(.*)") or "")
end

local function asks(how, address, more, timeout)
	if how == "url" then return client("get", address, more, timeout) end
	if how == "post" then return client("post", address, more, timeout) end
	return connects(how, address, more)
end

core.register_service("ask", "http", function(applet)
	local how, address, more, timeout = applet.qs:match("^([%w_]+)=([^&]*)&?([^&]*)&?(.*)$")
	local from = core.now()
	local ok, said = pcall(asks, how, address, more, timeout)
	local to = core.now()
	local ms = (to.sec - from.sec) * 1000 + (to.usec - from.usec) // 1000
	local body = ms .. " " .. (ok and said or "error " .. tostring(said))
	applet:set_status(200)
	applet:add_header("content-length", #body)
	applet:start_response()
	applet:send(body)
end)

-- The same in an action: a sub-request decides.
core.register_action("allowed", { "http-req" }, function(txn)
	local r = core.httpclient():get { url = "http://auth.test:8080/" .. txn.sf:path() }
	txn:set_var("txn.status", r.status)
end)
