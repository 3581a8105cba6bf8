#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A function of C that a script calls, a pattern that goes back and forth for ever, cannot be interrupted.
# The parent ends its worker; the log names the script, its file and line; others serve meanwhile.
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
driver - <<'PY' || failures=$((failures + 1))
import re
from service import Service, check, connect, finish, until

service = Service()


def log():
    with open(service.log, errors="replace") as f:
        return f.read()


def hangs(title, begin, said):
    before, already = set(service.workers()), log()
    s = begin()
    found = until(f"{title}: the worker is found", lambda: re.search(
        r"Worker (\d) \((\d+)\) hangs: no turn of its loop", log()[len(already):]))
    until(f"{title}: its words name the script", lambda: re.search(
        r"Worker %s \(%s\): penstock: %s" % (*found.groups(), said), log()[len(already):]))
    until(f"{title}: it is replaced", lambda: len(service.workers()) == 2 and set(service.workers()) != before)
    check(f"{title}: the service goes on", all(service.get() == 200 for _ in range(10)))
    s.close()


def request(path):
    def begin():
        s = connect(service.args.front)
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return s
    return begin


hangs("an action, in a coroutine", request("/" + "a" * 50),
      r"the script lua\.hang is at work from \[C\]: in method '(?:string\.)?find', \S+hang\.lua:2: in function line 1")
hangs("a fetch", request("/f" + "a" * 50),
      r"the script lua\.hang is at work from \[C\]: in method '(?:string\.)?find', \S+hang\.lua:2:")
finish()
PY
finish
