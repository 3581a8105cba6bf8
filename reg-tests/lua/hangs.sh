#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A function of C that a script calls, a pattern that goes back and forth for ever, cannot be
# interrupted. The parent ends its worker; the log names the script, its file and line; others serve
# meanwhile.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/hang.lua" <<'END'
local function search(txn)
	return (txn.f:path():rep(100)):find(("a*"):rep(40) .. "b")
end
core.register_action("hang", { "http-req" }, function(txn)
	local co = coroutine.wrap(function() return search(txn) end)
	co()
end)
core.register_fetches("hang", function(txn) return tostring(search(txn)) end)
core.register_cli({ "hang" }, "", function(applet)
	applet:send(tostring((("a"):rep(1000)):find(("a*"):rep(40) .. "b")))
end)
END
{
	printf '\tnbproc 2\n\tlog stderr format raw local0\n\tlua-load %s/hang.lua\n' "$dir"
	http_defaults
	cat <<-END
	frontend fe
		bind $front
		http-request lua.hang if { path_beg /aaa }
		http-request return status 200 content-type text/plain lf-string "%[lua.hang]" if { path_beg /faaa }
		http-request return status 200
	END
} | config
start_workers
own_driver
finish
