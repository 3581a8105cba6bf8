-- Signs requests with a secret that both ends have, and verifies those that come signed: with what
-- the configuration's converters can do (hmac, digest). sign.cfg uses it.
--
--     http-request lua.sign NAME SECRET
--     http-request lua.verify NAME SECRET
--
-- NAME is the key's, SECRET its bytes in base64. What is signed: the method, the target, Host, the
-- time and the body; so both ends need "option http-buffer-request", and a body fits into a buffer.
-- lua.verify leaves the variable txn.signature: "good", or what is wrong. A signature is good for
-- WINDOW_S seconds: who hears it may send the same request again within that time.

local WINDOW_S = 300

-- txn.c has the converters, dots of their names as underscores; their results have a type of their
-- own, so binary values stay what they are.
local function hex(txn, bytes)
	return txn.c:lower(txn.c:hex(bytes))
end

-- nil: there is more of the body than is here.
local function body_of(txn)
	local body = txn.f:req_body() or ""
	if txn.f:req_body_size() ~= #body then
		return nil
	end
	return body
end

local function signature(txn, secret, date)
	local body = body_of(txn)
	if not body then
		return nil
	end
	local text = table.concat({
		txn.sf:method(), txn.sf:url(), txn.sf:req_hdr("host"), date,
		hex(txn, txn.c:digest(body, "sha256")),
	}, "\n")
	return hex(txn, txn.c:hmac(text, "sha256", secret))
end

core.register_action("sign", { "http-req" }, function(txn, name, secret)
	local date = tostring(core.now().sec)
	local signed = signature(txn, secret, date)
	if not signed then
		txn:done(txn:reply({ status = 413, body = "This is too large to be signed.\n" }))
		return
	end
	txn.http:req_set_header("X-Key", name)
	txn.http:req_set_header("X-Date", date)
	txn.http:req_set_header("X-Signature", signed)
end, 2)

local function verify(txn, name, secret)
	local date, given = txn.sf:req_hdr("x-date"), txn.sf:req_hdr("x-signature")
	if given == "" or txn.sf:req_hdr("x-key") ~= name then
		return "unsigned"
	end
	local seconds = date:find("^%d+$") and tonumber(date)
	if not seconds or math.abs(core.now().sec - seconds) > WINDOW_S then
		return "of another time"
	end
	local wanted = signature(txn, secret, date)
	if not wanted then
		return "too large"
	end
	-- A comparison that takes as long wherever the first difference is: nobody guesses byte by
	-- byte.
	txn:set_var("txn.wanted", wanted)
	local equal = txn.f:req_hdr("x-signature") and txn.c:secure_memcmp(given, "txn.wanted")
	return (equal == true or equal == 1) and "good" or "wrong"
end

core.register_action("verify", { "http-req" }, function(txn, name, secret)
	txn:set_var("txn.signature", verify(txn, name, secret))
end, 2)
