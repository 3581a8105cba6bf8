# SPDX-License-Identifier: BSD-2-Clause
"""Scripts for chaos.sh, on the standard output. Arguments: the seed, what -dKlua prints, the
addresses of the frontend and of the server."""

import random
import re
import sys

rnd = random.Random(int(sys.argv[1]))
with open(sys.argv[2], encoding="utf-8") as f:
    API = re.findall(r"^\| `(\w+)([.:])(\w+)\(", f.read(), re.M)
# What waits for ever, as it was told to, keeps its stream: sockets have a time-out here, sleeps an
# end.
FOR_EVER = ("pop_wait", "settimeout")
CORE = ["core." + n for c, j, n in API if j == "." and c == "core" and not n.startswith("register_") and n != "wait"]
CORE += [f"{c}.{n}" for c, j, n in API if j == "." and c != "core"]
METHODS = sorted({n for c, j, n in API if j == ":" and n not in FOR_EVER})
# Objects by their class. What is done to Proxy, Server and Listener is done to the section `other`.
OWNERS = {"TXN": "o", "Fetches": "o.f", "Converters": "o.c", "HTTP": "o.http", "Reply": "o:reply()",
          "AppletHTTP": "o", "AppletTCP": "o", "Socket": "core.tcp()", "HTTPClient": "core.httpclient()",
          "Concat": "core.concat()", "Regex": "Rx", "Map": "Mp", "Proxy": "core.proxies.other",
          "Server": "core.proxies.other.servers.s", "Listener": "select(2, next(core.proxies.other.listeners))",
          "StickTable": "core.proxies.other.stktable", "Queue": "Q", "Patref": "Pat", "EventSub": "Sub",
          "Channel": "o.req", "HTTPMessage": "o.http_res"}
CALLS = [(c, n) for c, j, n in API if j == ":" and c in OWNERS and n not in FOR_EVER]
FETCHES = ["src", "path", "req_hdr", "res_hdr", "rand", "var", "method", "status", "req_body", "lua_f1",
           "lua_f2", "base32", "no_such", "str", "date", "url_param"]
CONVERTERS = ["lower", "hex", "base64", "regsub", "field", "lua_c1", "json", "add", "bytes", "map", "sha1"]
OBJECTS = ["o", "o.f", "o.sf", "o.c", "o.sc", "o.http", "Kept[math.random(8)]", "o:reply()", "core", "nil",
           "Kept[1] and Kept[1].http", "Acl", "o.res", "o.http_req"] + list(OWNERS.values())
LIBRARY = ("debug.getinfo debug.getlocal debug.setlocal debug.getupvalue debug.traceback debug.upvalueid "
           "debug.getuservalue debug.getmetatable debug.sethook debug.setmetatable debug.getregistry load require "
           "string.rep string.format string.gsub string.find string.pack string.unpack string.dump table.insert "
           "table.remove table.concat table.move table.unpack table.sort utf8.char utf8.codepoint select next "
           "rawset rawget rawequal setmetatable getmetatable tostring tonumber coroutine.close coroutine.isyieldable "
           "coroutine.status coroutine.resume io.open os.date os.getenv "
           "os.exit collectgarbage warn ipairs pairs error assert").split()
VALUES = ["nil", "true", "{}", "-1", "0", "1.5", "1 << 62", "-(1 << 63)", "0/0", "''", "'x'", "'\\0a\\0'",
          "Big", "o", "Kept[math.random(8)]", "print", "{ status = 200, body = Big, headers = { x = { 'y' } } }",
          "{ status = 403, headers = 7 }", "Odd", "io.stdout", "coroutine.running()", "'txn.v'", "'Host'",
          "{ Odd, o, { 1 } }", "Back", "'*l'", "'*a'", "1000", "act.wake_time", "o and o[0]", "{ [0] = o and o[0] }",
          "{ url = 'http://' .. Back .. '/a1', timeout = 30, body = Big }", "core.parse_addr('::1/64')",
          "{ { 'gpc0', 'ge', 0 } }", "Same", "'200'", "200", "'^(.*)$'", "Q", "Pat", "{ 'SERVER' }", "function() Q:push(1) end", "{ a = 'b', c = 'd' }", "{ 'a', 'b' }", "'proc.v'", "'chaos.map'",
          "'a\\r\\nb: c'", "setmetatable({}, { __index = _G })"]


def value():
    return rnd.choice(VALUES)


def values(most=4):
    return ", ".join(value() for _ in range(rnd.randint(0, most)))


def socket_talk():
    """A connection that scripts share: to the server, or through the frontend."""
    to = rnd.choice(["Back", "Front", "'127.0.0.1:1'"])
    steps = [f"s:settimeout({rnd.choice([0.01, 0.05, 0.5])})", "s:send('GET /plain HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n')",
             f"s:receive({rnd.choice(['', '5', value(), value()])})", "s:receive('*l')", "s:close()", "s:getpeername()",
             "s:send(Big)", f"Kept[math.random(8)] = s", "s = Kept[math.random(8)]", f"s:connect({to})"]
    return (f"local s = core.tcp() pcall(s.connect{rnd.choice(['', '', '_ssl'])}, s, {to}) " +
            " ".join(f"pcall(function() {rnd.choice(steps)} end)" for _ in range(rnd.randint(1, 6))))


def client_talk():
    return (f"Kept[math.random(8)] = core.httpclient():{rnd.choice('get post head put delete'.split())}({{ url = "
            f"'http://' .. {rnd.choice(['Back', 'Front'])} .. '/plain', timeout = {rnd.choice([1, 30, 500])}, "
            f"body = {rnd.choice(['nil', 'Big', value()])}, headers = {rnd.choice(['nil', value()])} }})")


def call():
    kind = rnd.randrange(14)
    if kind == 7:
        return f"{rnd.choice(LIBRARY)}({values(3)})"
    if kind == 8:
        return (f"(debug.getinfo({rnd.choice(['Co[1], ', ''])}math.random(0, 9), 'fu') or {{}}).func({values(3)})")
    if kind == 9:
        return f"do {socket_talk()} end"
    if kind == 10:
        return client_talk()
    if kind in (11, 12, 13):
        owner, name = rnd.choice(CALLS)
        return f"({OWNERS[owner]}):{name}({values(3)})"
    if kind == 0:
        return f"{rnd.choice(CORE)}({values(2)})"
    if kind == 1:
        return f"o.{rnd.choice('f sf'.split())}:{rnd.choice(FETCHES)}({values(2)})"
    if kind == 2:
        return f"o.{rnd.choice('c sc'.split())}:{rnd.choice(CONVERTERS)}({values(3)})"
    if kind == 3:
        return f"core.msleep({rnd.randint(0, 40)})"
    if kind == 4:
        return f"act.wake_time({value()})"
    return f"({rnd.choice(OBJECTS)}):{rnd.choice(METHODS)}({values()})"


def statement():
    """A call whose result is kept at times."""
    what = call()
    if what.startswith(("do ", "Kept")) or rnd.random() < 0.7:
        return what if what.startswith(("do ", "Kept")) else f"return {what}"
    return f"Kept[math.random(8)] = {what}"


def block(deep):
    """One statement."""
    inside = " ".join(block(deep - 1) for _ in range(rnd.randint(1, 3))) if deep else call()
    run = f"pcall(function() {inside} end)"
    return rnd.choice([
        f"pcall(function() {statement()} end) ", f"pcall(function() {statement()} end) ", f"Kept[math.random(8)] = o ",
        run, f"pcall(coroutine.wrap(function() {inside} coroutine.yield(1) {call()} end)) ",
        f"xpcall(function() {inside} end, function(e) {inside} return Odd end) ",
        f"do local c <close> = setmetatable({{}}, {{ __close = function() {inside} end }}) {run} end ",
        f"setmetatable({{}}, {{ __gc = function() {inside} end }}) ",
        f"pcall(table.sort, {{3, 1, 2}}, function(a, b) {inside} return a < b end) ",
        f"pcall(string.gsub, 'aaa', 'a', function() {inside} end) ",
        f"pcall(core.register_task, function() {inside} end) ",
        f"Co[math.random(4)] = coroutine.create(function() {inside} end) ",
        "pcall(coroutine.resume, Co[math.random(4)]) ", "pcall(coroutine.close, Co[math.random(4)]) ",
        "for i = 1, 500 do local x = i * 2 end ", "collectgarbage() ", "local t = { Big .. math.random() } ",
    ]) + " "


def end():
    return rnd.choice(["", "", "error(Odd)", "error()", f"return {value()}", f"return {rnd.randint(-1, 9)}",
                       "while true do end", call(), "local t = {} while true do t[#t + 1] = Big .. #t end",
                       "local function f() return 1 + f() end f()"])


def function():
    return ("function(o, ...) Calls = Calls + 1 " + " ".join(block(3) for _ in range(rnd.randint(1, 6))) +
            f" do {end()} end end")


print(f"""math.randomseed({rnd.randrange(1 << 30)})
Calls, Kept, Co, Big, Q = 0, {{}}, {{}}, ("x"):rep(20000), core.queue()
core.register_init(function()
    Pat, Acl = core.get_patref("{sys.argv[5]}.ref"), core.get_patref("{sys.argv[5]}.lst")
    Sub = core.event_sub({{ "SERVER" }}, function(...) {" ".join(block(2) for _ in range(3))} end)
end)
do local tcp = core.tcp core.tcp = function(...) local s = tcp(...) s:settimeout(0.5) return s end end
for _, name in ipairs({{ "sleep", "msleep" }}) do
    local real, most = core[name], name == "sleep" and 0.5 or 500
    core[name] = function(n, ...) if (tonumber(n) or 0) > most then n = most end return real(n, ...) end
end
Front, Back, Rx, Mp = "{sys.argv[3]}", "{sys.argv[4]}", select(2, Regex.new("a(b*)", true)), Map.new("{sys.argv[5]}")
Same = setmetatable({{}}, {{ __index = function(_, n) return n == "url" and "http://" .. Back .. "/" .. math.random() or nil end }})
Odd = setmetatable({{}}, {{ __tostring = function() error(Odd) end, __index = function() core.msleep(1) end,
    __len = function() return -1 end, __eq = function() error("eq") end, __close = error }})""")
ENVIRONMENTS = '{ "tcp-req", "tcp-res", "http-req", "http-res", "http-after-res" }'
for i in range(10):
    print(f'core.register_action("a{i}", {ENVIRONMENTS}, {function()})')
    print(f'core.register_fetches("f{i}", {function()})')
    print(f'core.register_converters("c{i}", {function()})')
    print(f'core.register_service("h{i}", "http", {function()})')
    print(f'core.register_service("t{i}", "tcp", {function()})')
    print(f"core.register_task({function()})")
    print(f'core.register_cli({{ "chaos", "{i}" }}, "chaos", {function()})')
# What has ended the process once.
print("""
local function within(n, f) if n == 0 then return f() end return coroutine.wrap(within)(n - 1, f) end
core.register_fetches("deep", function(txn)
    pcall(within, 40, function() txn.f:lua_deep() end) error("enough")
end)
core.register_action("deep", { "http-req" }, function(txn) txn.f:lua_deep() end)
core.register_fetches("forget", function(txn, a)
    if a == "x" then for i = 1, 500 do txn.f:lua_forget(i) end collectgarbage() collectgarbage() end
    return a
end)
core.register_action("forget", { "http-req" }, function(txn) txn.f:lua_forget("x") end)
core.register_action("many", { "http-req" }, function(txn)
    local t = {} for i = 1, 1000 do t[i] = "a" end
    pcall(function() txn.c:regsub("x", Big, Big) end)
    pcall(function() txn.c:lower("x", table.unpack(t)) end) pcall(function() txn.f:src(table.unpack(t)) end)
end)""")
