# SPDX-License-Identifier: BSD-2-Clause
"""Configurations with scripts: which of them a program refuses (-c), and what the reference says.

config.py check PROGRAM [N]   compares the exit statuses with config_errors.txt, of every Nth case
config.py record PROGRAM      writes what it says into config_errors.txt

A case whose title begins with "start" is started instead; "runs" is its status if it goes on.
A case: a title, global lines, the script (None: no file), lines of a frontend in mode http."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "config_errors.txt")
ACTION = 'core.register_action("a", {"http-req"}, function() end%s)\n'
FETCH = 'core.register_fetches("f", function() return "x" end)\n'
CONV = 'core.register_converters("c", function(v) return v end)\n'
HTTP = 'core.register_service("s", "http", function() end)\n'
TCP = 'core.register_service("t", "tcp", function() end)\n'
FILTER = ('local c = {}\nc.__index = c\nfunction c:new() return setmetatable({}, c) end\n'
          'core.register_filter("fl", c, function(f, args) %s end)\n')


def case(title, script="", rules="", globals_=""):
    return title, script, rules, globals_


CASES = [
    case("empty script"),
    case("no file", None),
    case("no file, per thread", None, globals_="per-thread"),
    case("a folder", None, globals_="lua-load /"),
    case("lua-load without a file", None, globals_="lua-load"),
    case("lua-load with arguments", "print(...)", globals_="lua-load x.lua a b"),
    case("lua-load-per-thread with arguments", "", globals_="lua-load-per-thread x.lua a"),
    case("syntax error", "x = = 1"),
    case("unfinished", "function f()"),
    case("runtime error", 'error("boom")'),
    case("runtime error, table", "error({})"),
    case("runtime error, nil", "error()"),
    case("call of nil", "nosuch()"),
    case("error of a binary", "\x1bLua"),
    case("shebang", "#!/usr/bin/lua\nx = 1"),
    case("endless at load", "local n = 0 for i = 1, 3000000 do n = n + 1 end"),
    case("returns a value", "return 5"),
    case("require of nothing", 'require("nosuchmodule")'),
    case("prepend-path", 'assert(package.path:find("/nosuch/?.lua", 1, true) == 1)',
         globals_="lua-prepend-path /nosuch/?.lua"),
    case("prepend-cpath", 'assert(package.cpath:find("/nosuch/?.so", 1, true) == 1)',
         globals_="lua-prepend-path /nosuch/?.so cpath"),
    case("prepend-path, wrong type", "", globals_="lua-prepend-path /x/?.lua nosuch"),
    case("prepend-path, nothing", "", globals_="lua-prepend-path"),
    case("prepend-path, many", "", globals_="lua-prepend-path /x path y"),
    case("loaded twice", ACTION % "", globals_="twice"),
    case("init error", 'core.register_init(function() error("boom") end)'),
    case("init error, table", "core.register_init(function() error({}) end)"),
    case("init sleeps", "core.register_init(function() core.msleep(1) end)"),
    case("init opens a socket", "core.register_init(function() core.tcp() end)"),
    case("task error at start", 'core.register_task(function() error("boom") end)'),
    case("start, init error", 'core.register_init(function() error("boom") end)'),
    case("start, init error, table", "core.register_init(function() error({}) end)"),
    case("start, init sleeps", "core.register_init(function() core.msleep(1) end)"),
    case("start, init opens a socket", "core.register_init(function() core.tcp() end)"),
    case("start, task error", 'core.register_task(function() error("boom") end)'),
    case("start, filter returns nil", FILTER % "return nil", "filter lua.fl"),
    case("start, filter raises", FILTER % 'error("boom")', "filter lua.fl"),
    case("start, filter without new",
         'core.register_filter("fl", {}, function(f) return f end)', "filter lua.fl"),
    case("unknown action", "", "http-request lua.nosuch"),
    case("unknown action, response", "", "http-response lua.nosuch"),
    case("unknown action, tcp", "", "tcp-request content lua.nosuch"),
    case("unknown fetch", "", "http-request set-header x %[lua.nosuch]"),
    case("unknown fetch in an ACL", "", "acl x lua.nosuch -m found"),
    case("unknown converter", "", "http-request set-header x %[src,lua.nosuch]"),
    case("unknown service", "", "http-request use-service lua.nosuch"),
    case("unknown service without lua", "", "http-request use-service nosuch"),
    case("unknown filter", "", "filter lua.nosuch"),
    case("no name", "", "http-request lua."),
    case("action", ACTION % "", "http-request lua.a"),
    case("action of the wrong list", ACTION % "", "http-response lua.a"),
    case("action in tcp-request content", ACTION % "", "tcp-request content lua.a"),
    case("action in tcp-request connection", ACTION % "", "tcp-request connection lua.a"),
    case("tcp-req in connection", 'core.register_action("a", {"tcp-req"}, print)',
         "tcp-request connection lua.a"),
    case("tcp-req in session", 'core.register_action("a", {"tcp-req"}, print)',
         "tcp-request session lua.a"),
    case("tcp-req in content", 'core.register_action("a", {"tcp-req"}, print)',
         "tcp-request content lua.a"),
    case("tcp-res in content", 'core.register_action("a", {"tcp-res"}, print)',
         "tcp-response content lua.a"),
    case("action in http-after-response", 'core.register_action("a", {"http-res"}, print)',
         "http-after-response lua.a"),
    case("arguments that are not wanted", ACTION % "", "http-request lua.a x"),
    case("an argument is missing", ACTION % ", 1", "http-request lua.a"),
    case("an empty argument", ACTION % ", 1", 'http-request lua.a ""'),
    case("two of three arguments", ACTION % ", 3", "http-request lua.a x y"),
    case("if is an argument", ACTION % ", 1", "http-request lua.a if TRUE"),
    case("too many arguments", ACTION % ", 1", "http-request lua.a x y"),
    case("condition", ACTION % ", 1", "http-request lua.a x if TRUE"),
    case("bad condition", ACTION % ", 1", "http-request lua.a x if nosuch"),
    case("negative number of arguments", ACTION % ", -1", "http-request lua.a"),
    case("twenty arguments", ACTION % ", 20", "http-request lua.a " + "x " * 20),
    case("wrong environment", 'core.register_action("a", {"http-foo"}, print)'),
    case("no function", 'core.register_action("a", {"http-req"}, 5)'),
    case("name with a blank", 'core.register_action("a b", {"http-req"}, print)',
         "http-request lua.a b"),
    case("empty name", 'core.register_action("", {"http-req"}, print)', "http-request lua."),
    case("action twice", ACTION % "" + ACTION % ""),
    case("action twice, other lists",
         ACTION % "" + 'core.register_action("a", {"http-res"}, print)\n',
         "http-request lua.a\n http-response lua.a"),
    case("fetch twice", FETCH + FETCH),
    case("converter twice", CONV + CONV),
    case("service twice", HTTP + HTTP),
    case("service twice, other mode", HTTP + HTTP.replace('"http"', '"tcp"')),
    case("filter twice", FILTER % "return f" + FILTER % "return f"),
    case("CLI twice", 'core.register_cli({"x", "y"}, "u", print)\n' * 2),
    case("fetch", FETCH, "http-request set-header x %[lua.f]"),
    case("fetch with arguments", FETCH, "http-request set-header x %[lua.f(a,b,c,d,e)]"),
    case("fetch with six arguments", FETCH, "http-request set-header x %[lua.f(a,b,c,d,e,f)]"),
    case("fetch with thirteen arguments", FETCH,
         "http-request set-header x %[lua.f(1,2,3,4,5,6,7,8,9,10,11,12,13)]"),
    case("fetch in a log", FETCH, 'log-format "%[lua.f]"'),
    case("fetch in use_backend", FETCH, "use_backend %[lua.f]"),
    case("fetch in tcp-request session", FETCH, "tcp-request session set-var(sess.x) lua.f"),
    case("fetch in tcp-request connection", FETCH, "tcp-request connection accept if { lua.f x }"),
    case("fetch in tcp-request content", FETCH, "tcp-request content accept if { lua.f x }"),
    case("fetch in http-response", FETCH, "http-response set-header x %[lua.f]"),
    case("fetch in an ACL without a method", FETCH, "acl x lua.f y"),
    case("fetch as an integer", FETCH, "acl x lua.f gt 5"),
    case("fetch tracked", FETCH,
         "stick-table type string len 10 size 10\n http-request track-sc0 lua.f"),
    case("converter", CONV, "http-request set-header x %[src,lua.c(a,b,c,d,e)]"),
    case("converter with six arguments", CONV,
         "http-request set-header x %[src,lua.c(1,2,3,4,5,6)]"),
    case("converter after an integer", CONV, "http-request set-header x %[int(1),lua.c,add(1)]"),
    case("http service", HTTP, "http-request use-service lua.s"),
    case("http service in tcp-request", HTTP, "tcp-request content use-service lua.s"),
    case("http service in http-response", HTTP, "http-response use-service lua.s"),
    case("tcp service in mode http", TCP, "tcp-request content use-service lua.t"),
    case("tcp service in http-request", TCP, "http-request use-service lua.t"),
    case("tcp service in mode tcp", TCP, "mode tcp\n tcp-request content use-service lua.t"),
    case("http service in mode tcp", HTTP, "mode tcp\n tcp-request content use-service lua.s"),
    case("tcp service in tcp-request connection", TCP,
         "mode tcp\n tcp-request connection use-service lua.t"),
    case("service with arguments", HTTP, "http-request use-service lua.s x"),
    case("service without a name", HTTP, "http-request use-service"),
    case("filter", FILTER % "return f", "filter lua.fl a b"),
    case("filter returns nil", FILTER % "return nil", "filter lua.fl"),
    case("filter returns nothing", FILTER % "", "filter lua.fl"),
    case("filter returns a string", FILTER % 'return "x"', "filter lua.fl"),
    case("filter raises", FILTER % 'error("boom")', "filter lua.fl"),
    case("filter without new", 'core.register_filter("fl", {}, function(f) return f end)',
         "filter lua.fl"),
    case("filter with wrong flags",
         'core.register_filter("fl", {flags = "x", new = print}, function(f) return f end)',
         "filter lua.fl"),
    case("filter with a number as id",
         'core.register_filter("fl", {id = 5, new = print}, function(f) return f end)',
         "filter lua.fl"),
    case("map is missing", 'Map.new("/nosuch", Map._str)'),
    case("action without a frontend", ACTION % ""),
] + [case(f"tune.lua.{name} {value}", "", globals_=f"tune.lua.{name} {value}")
     for name, values in {
         "forced-yield": ("1000", "0", "-1", "x", "", "99999999999"),
         "maxmem": ("10", "0", "-1", "x", "", "99999999999", "1k"),
         "session-timeout": ("4s", "500", "0", "-1", "x", "", "10d", "100d"),
         "service-timeout": ("4s", "x", ""), "task-timeout": ("4s", "0", "x", ""),
         "log": ("on",), "nosuch": ("1",)}.items() for value in values]


def run(program, number, case_):
    title, script, rules, globals_ = case_
    with tempfile.TemporaryDirectory(prefix="lua") as folder:
        if script is not None:
            with open(folder + "/x.lua", "w") as f:
                f.write(script)
        load = ["lua-load x.lua"]
        if globals_ == "per-thread":
            load, globals_ = ["lua-load-per-thread x.lua"], ""
        elif globals_ == "twice":
            load, globals_ = load * 2, ""
        elif globals_.startswith("lua-load"):
            load = []
        lines = ["global", *([" " + globals_] if globals_ else []), *[" " + line for line in load],
                 "defaults", " mode http", " timeout client 1s", " timeout server 1s",
                 " timeout connect 1s", "frontend f", f" bind unix@{folder}/s",
                 *([" " + rules] if rules else []), "backend b"]
        with open(folder + "/cfg", "w") as f:
            f.write("\n".join(lines) + "\n")
        started = title.startswith("start")
        try:
            done = subprocess.run([program, "-db" if started else "-c", "-f", "cfg"], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=3 if started else 60)
            status, text = str(done.returncode), done.stdout
        except subprocess.TimeoutExpired as e:
            status, text = "runs" if started else "endless", e.stdout or b""
    said = [line for line in text.decode(errors="replace").splitlines()
            if not re.search(r"^\[NOTICE\]|Fatal errors found|Error\(s\) found|is valid", line)]
    said = [re.sub(r"(\[\w+\]) +\(\d+\) : ", r" \1 ", line).strip().replace(folder, "FOLDER")
            for line in said]
    return status, [re.sub(r", but got|'http-request' expects.*but got", " ...", line)
                                  if len(line) > 300 else line for line in said]


def main():
    what, program = sys.argv[1:3]
    if what == "record":
        with open(RECORDED, "w") as f:
            f.write("# SPDX-License-Identifier: BSD-2-Clause\n"
                    "# A case of config.py, the exit status of the reference, what it says.\n")
            for number, case_ in enumerate(CASES):
                status, said = run(program, number, case_)
                f.write(f"{status} {case_[0]}\n" + "".join(f"\t{line}\n" for line in said))
        return
    wanted = {}
    with open(RECORDED) as f:
        for line in f:
            if line[0] not in "#\t":
                status, title = line.rstrip("\n").split(" ", 1)
                wanted[title] = status
    with open(os.path.join(HERE, "deviations.txt")) as f:
        known = {line.split(":")[0] for line in f}
    wrong = 0
    judged = CASES[::int(sys.argv[3]) if len(sys.argv) > 3 else 1]
    for number, case_ in enumerate(judged):
        if "filter" in case_[0]:
            continue  # it is not there yet
        status, said = run(program, number, case_)
        if status != wanted[case_[0]] and f"config/{case_[0]}" not in known:
            wrong += 1
            print(f"{case_[0]}: {status}, wanted {wanted[case_[0]]}\n\t" + "\n\t".join(said))
    print(f"{len(judged) - wrong} of {len(judged)} configurations as recorded")
    sys.exit(wrong > 0)


main()
