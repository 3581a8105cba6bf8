#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# No code that was compiled elsewhere is run, whichever function is to load it, in both worlds of a
# process; text is loaded as ever, also by a file that yields.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }

mkdir "$dir/text" "$dir/code"
cat >"$dir/text/module.lua" <<'END'
local name, path = ...
coroutine.yield("on its way")
return { name = name, path = path, got = got }
END
echo 'return { plain = true, ... }' >"$dir/text/plain.lua"
cat >"$dir/try.lua" <<'END'
local dir = ...
local code = string.dump(function() return "compiled" end)
local file = assert(io.open(dir .. "/code/module.lua", "w"))
file:write(code)
file:close()

local function refused(what, good, why)
	assert(not good, what .. " takes compiled code")
	assert(tostring(why):find("attempt to load a binary chunk", 1, true), what .. ": " .. tostring(why))
end
for _, mode in ipairs({ "b", "bt", "t" }) do
	refused("load", load(code, "code", mode))
	refused("loadfile", loadfile(dir .. "/code/module.lua", mode))
end
refused("load", load(code))
local piece = code
refused("load of pieces", load(function() local p = piece piece = nil return p end))
refused("loadfile", loadfile(dir .. "/code/module.lua"))
refused("loadfile with a world", loadfile(dir .. "/code/module.lua", nil, {}))
refused("dofile", pcall(dofile, dir .. "/code/module.lua"))
package.path = dir .. "/code/?.lua"
refused("require", pcall(require, "module"))

package.path = dir .. "/text/?.lua"
local plain = require("plain")
assert(plain.plain and plain[1] == "plain")
assert(require("plain") == plain)
local good, why = pcall(require, "nothing")
assert(not good and why:find(dir .. "/text/nothing.lua", 1, true), why)
local run = coroutine.wrap(function() return dofile(dir .. "/text/module.lua") end)
assert(run() == "on its way" and type(run()) == "table")
got = "of the world"
run = coroutine.wrap(assert(loadfile(dir .. "/text/module.lua", "t")))
assert(run("a", "b") == "on its way")
local result = run()
assert(result.name == "a" and result.path == "b" and result.got == got)
run = coroutine.wrap(assert(loadfile(dir .. "/text/module.lua", "bt", { got = 1, coroutine = coroutine })))
run()
assert(run().got == 1)
assert(load("return got", "text", "bt", { got = 2 })() == 2 and load("return got")() == got)
assert(not loadfile(dir .. "/text/module.lua", "b") and not loadfile(dir .. "/text/nothing.lua"))
assert(not pcall(dofile, dir .. "/text/nothing.lua"))
END

# starts LINE...: whether a file with these lines in its section global is valid.
starts() {
	{
		printf 'global\n'
		printf '\t%s\n' "$@"
		http_defaults
		printf 'frontend fe\n\tbind %s\n\thttp-request return\n' "$front"
	} >"$dir/c.cfg"
	"$PENSTOCK" -c -f "$dir/c.cfg" >"$log" 2>&1
}
refused() { ! starts "$@" && grep -q "attempt to load a binary chunk" "$log"; }

for word in lua-load lua-load-per-thread; do
	check "$word: the functions take text alone" starts "$word $dir/try.lua $dir"
	[ "$failures" -eq 0 ] || cat "$log"
	check "$word: text" starts "$word $dir/text/plain.lua"
	check "$word: compiled code is refused" refused "$word $dir/code/module.lua"
done
[ "$failures" -eq 0 ]
