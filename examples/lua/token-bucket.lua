-- A token bucket for each client: it may send BURST requests at once, and RATE a second in the long
-- run. token-bucket.cfg uses it.
--
--     http-request track-sc0 src table buckets
--     http-request lua.take-token BURST RATE
--     http-request sc-set-gpt0(0) var(txn.lost) if { var(txn.lost) -m found }
--
-- The bucket is an entry of a stick table, so all workers share it. What happens at the same time
-- in two workers must not get lost; a script that read a number, and wrote another one, would lose
-- tokens. So the number that changes with each request, how many tokens were taken, is a counter of
-- the table (gpc0), which each request counts up in one piece. What comes in is a matter of the
-- clock:
--
--     tokens = BURST + come in since ever - lost since ever - taken since ever
--
-- Lost is what comes in while the bucket is full. It is a tag of the entry (gpt0), and changes only
-- when the bucket overflows; a rule writes it, as scripts only read tables. All three numbers have
-- 32 bits and wrap around.
--
-- The action leaves the variable txn.tokens: what is left, below 0 when there was none.

local BITS = 0xffffffff

-- A difference of two such numbers: large ones are negative.
local function signed(n)
	n = n & BITS
	return n > 0x7fffffff and n - BITS - 1 or n
end

core.register_action("take-token", { "http-req" }, function(txn, burst, rate)
	burst, rate = tonumber(burst), tonumber(rate)
	local now = core.now()
	local came = (now.sec * 1000000 + now.usec) * rate // 1000000
	local taken, lost = txn.f:sc_get_gpc0(0), txn.f:sc_get_gpt0(0)
	local tokens = signed(burst + came - lost - taken)

	-- An entry that is new has lost nothing yet, so it seems to be very full, or very empty.
	if tokens > burst or (taken == 0 and lost == 0) then
		lost = (came - taken) & BITS
		txn:set_var("txn.lost", lost)
		tokens = burst
	end
	if tokens <= 0 then
		txn:set_var("txn.tokens", -1)
		return
	end
	-- This fetch counts up, and gives the new number. Others may have been faster since we
	-- looked.
	taken = txn.f:sc_inc_gpc0(0)
	txn:set_var("txn.tokens", signed(burst + came - lost - taken))
end, 2)
