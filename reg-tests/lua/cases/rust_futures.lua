-- SPDX-License-Identifier: BSD-2-Clause
-- Scripts that wait for futures of Rust.
require("judge").futures()
case("rs_waits", function(txn, say, try)
	try("waits", rs_wait, 5)
	try("waits again", rs_wait, 0)
	try("no number", function() return (pcall(rs_wait, "x")) end)
end)
core.register_service("service", "http", function(applet)
	local text = rs_wait(1) .. ", " .. rs_wait(2)
	applet:add_header("content-length", #text)
	applet:start_response()
	applet:send(text)
end)
