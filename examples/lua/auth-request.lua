-- Asks another server, the authority, whether a request may pass: what nginx calls auth_request.
-- auth-request.cfg uses it.
--
-- A function that is registered as an action runs where a rule of the configuration names it
-- ("http-request lua.auth-request ..."). It gets an object, by custom called txn, that stands for
-- the request, and the words behind its name in the rule. While it waits for the authority, the
-- proxy serves everybody else.
--
--     http-request lua.auth-request BACKEND PATH POLICY
--
-- BACKEND has the servers to ask, PATH is what they are asked for. POLICY says what happens when
-- none of them answers within TIMEOUT_MS: "closed", the client gets the status 503; "open", the
-- request passes, and X-Auth-Status tells the server that nobody was asked.
--
-- The authority answers 2xx to let the request pass: its fields X-Auth-... go along to the server.
-- 401 and 403 are the client's answer, with WWW-Authenticate. Anything else counts as no answer.

-- For the answer. How long a connection may take is said in the configuration (httpclient.*).
local TIMEOUT_MS = 1000

-- What the authority learns of the client's request.
local FORWARDED = { "authorization", "cookie", "user-agent" }

-- An address that is worth asking: of a server that its health checks find alive. nil: there is
-- none. (core.backends is filled when the configuration is complete, so it is not looked at
-- before.)
local function living_server(backend)
	for _, server in pairs(core.backends[backend].servers) do
		local status = server:get_stats().status
		if status == "no check" or status:find("^UP") then
			return server:get_addr()
		end
	end
	return nil
end

-- The authority's answer, a table with status, headers and body. nil: it did not come in time.
local function ask(txn, backend, path)
	local address = living_server(backend)
	if not address then
		return nil
	end
	local given, headers = txn.http:req_get_headers(), {}
	for _, name in ipairs(FORWARDED) do
		headers[name] = given[name]
	end
	headers["x-original-method"] = { txn.sf:method() }
	headers["x-original-url"] = { txn.sf:url() }
	headers["x-original-host"] = { txn.sf:req_hdr("host") }
	headers["x-forwarded-for"] = { txn.sf:src() }
	local answer = core.httpclient():get({
		url = "http://" .. address .. path, headers = headers, timeout = TIMEOUT_MS,
	})
	-- The client of HTTP never raises an error for a server that is silent: it says 5xx.
	if not answer or answer.status >= 500 then
		return nil
	end
	return answer
end

-- What begins with X-Auth- is the authority's word alone: a client that sends it is not believed.
local function forget_claims(txn)
	for name in pairs(txn.http:req_get_headers()) do
		if name:find("^x%-auth%-") then
			txn.http:req_del_header(name)
		end
	end
end

-- Values of one name are counted from 0, so this is pairs, not ipairs.
local function copy_fields(txn, answer)
	for name, values in pairs(answer.headers) do
		if name:find("^x%-auth%-") then
			for _, value in pairs(values) do
				txn.http:req_add_header(name, value)
			end
		end
	end
end

-- Ends the request here: nothing behind txn:done() runs.
local function refuse(txn, answer)
	local reply = txn:reply({ status = answer.status, body = "You may not see this.\n" })
	for _, value in pairs(answer.headers["www-authenticate"] or {}) do
		reply:add_header("www-authenticate", value)
	end
	reply:add_header("content-type", "text/plain")
	txn:done(reply)
end

local function auth_request(txn, backend, path, policy)
	forget_claims(txn)
	local answer = ask(txn, backend, path)
	if answer and answer.status >= 200 and answer.status < 300 then
		copy_fields(txn, answer)
	elseif answer and (answer.status == 401 or answer.status == 403) then
		refuse(txn, answer)
	elseif policy == "open" then
		txn.http:req_set_header("X-Auth-Status", "nobody was asked")
	else
		txn:done(txn:reply({ status = 503, headers = { ["retry-after"] = { "5" } },
			body = "Nobody can say now who may see this.\n" }))
	end
end

-- The last number: how many words follow the name in a rule.
core.register_action("auth-request", { "http-req" }, auth_request, 3)
