-- SPDX-License-Identifier: BSD-2-Clause
-- A module written in Rust (../rust), and what scripts do with its objects.
require "judge"
case("rs_objects", function(txn, say, try)
	say("type", type(rs_counter))
	try("add", rs_counter.add, rs_counter, 2)
	try("no number", function() return (pcall(rs_counter.add, rs_counter, "x")) end)
	try("calls back", rs_counter.with, rs_counter, function() return "called" end)
	try("borrowed", function() return (pcall(rs_counter.with, rs_counter, function() return rs_counter:add(1) end)) end)
	try("raises inside", function() return (pcall(rs_counter.with, rs_counter, function() error("inside") end)) end)
	try("waits inside", function() return (pcall(rs_counter.with, rs_counter, function() core.msleep(1) end)) end)
	try("another object", function() return (pcall(rs_counter.add, txn, 1)) end)
	try("goes on", rs_counter.add, rs_counter, 0)
end)
function called_back(n)
	if n > 10 then return called_back(n - 1) + 1 end
	return n
end
