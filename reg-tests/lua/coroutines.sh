#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A coroutine in which one script waits is a value that another script may close or resume: the one that
# waits hears of it, and whatever it has waited for is over.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

cat >"$dir/co.lua" <<END
local Co, Said, Begun = nil, {}, {}
local Q = core.queue()
local waits = {
	client = function() return core.httpclient():get{ url = "http://$back/" } end,
	socket = function() local s = core.tcp() s:connect("$back") return s:receive("*l") end,
	queue = function() return Q:pop_wait() end,
	sleep = function() core.sleep(1) end,
}
core.register_service("wait", "http", function(applet)
	local how = applet.path:match("/wait/(%a+)")
	Co, Said[how] = coroutine.create(waits[how]), nil
	Begun[how] = true
	local ok, e = coroutine.resume(Co)
	Said[how] = tostring(ok) .. " " .. tostring(e)
	applet:start_response()
end)
core.register_cli({ "begun" }, "", function(applet, _, how) applet:send(tostring(Begun[how] ~= nil)) end)
core.register_cli({ "said" }, "", function(applet, _, how) applet:send(tostring(Said[how])) end)
core.register_cli({ "forget" }, "", function(applet) Begun, Said = {}, {} end)
core.register_cli({ "close" }, "", function(applet)
	local said = tostring(coroutine.close(Co))
	for _ = 1, 3 do collectgarbage() end
	applet:send(said)
end)
core.register_cli({ "resume" }, "", function(applet)
	local ok, e = coroutine.resume(Co)
	for _ = 1, 3 do collectgarbage() end
	applet:send(tostring(ok) .. " " .. tostring(e))
end)
END
{
	printf '\tlua-load %s/co.lua\n' "$dir"
	http_defaults
	printf 'frontend fe\n\tbind %s\n\thttp-request use-service lua.wait if { path_beg /wait }\n' "$front"
	printf '\thttp-request return status 200\n'
} | config
start_penstock
driver - <<'PY' || failures=$((failures + 1))
import socket

from service import Service, address, check, connect, finish, until

service = Service()
silent = socket.create_server(address(service.args.back), backlog=100)


def begin(how):
    service.ask("forget")
    s = connect(service.args.front)
    s.sendall(f"GET /wait/{how} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    until(f"{how}: it waits", lambda: service.ask(f"begun {how}").strip() == "true")
    return s


for how in "client", "socket", "queue", "sleep":
    with begin(how):
        check(f"{how}: another script closes the coroutine", service.ask("close").strip() == "true")
        until(f"{how}: the one that waits hears of it",
              lambda: service.ask(f"said {how}").strip() == "false cannot resume dead coroutine")
for how, told in ("client", "another script waits"), ("socket", "another script has begun to wait"):
    with begin(how):
        said = service.ask("resume").strip()
        check(f"{how}: another script resumes the coroutine, and is told: {said}", told in said)
        until(f"{how}: the one that waits goes on", lambda: service.ask(f"said {how}").strip() != "nil")
    with begin(how):
        pass # the client leaves; the script is left in the midst
    check(f"{how}: closed behind the script that waits", service.ask("close").strip() in ("true", "false"))
check("it serves", service.get() == 200)
finish()
PY
finish
