# SPDX-License-Identifier: BSD-2-Clause
"""Commands that are scripts (later.lua), in both workers, and what rules see of their changes."""
import socket

from service import Service, check, connect, finish, read_all, until

service = Service("map", "log")


def get(path):
    return service.fetch(path).text


def lua(worker, words):
    return service.worker(worker, "lua " + words)


def says(words, wanted, worker=1):
    said = lua(worker, words)
    check(f"{words}: {wanted}" + (f", not {said}" if said != wanted else ""), said == wanted)


def both(sentence, key, wanted):
    """Rules of both workers find it, as do scripts."""
    seen = [lua(worker, f"get map {key}") for worker in (1, 2)]
    seen += [get(f"/?key={key}").replace("none", "nil") for _ in range(8)]
    check(f"{sentence}: {key} is {wanted}" + (f", not {seen}" if set(seen) != {wanted} else ""),
          set(seen) == {wanted})


# Files of patterns, in init functions.
check("files: not while scripts are read",
      lua(1, "first files").endswith("'get_patref': only when the configuration is complete"))
says("first add", "true")
says("first bulk", "true")
says("first commit", "true")
says("first del", "true")
says("first there", "3000")
both("what an init function has put in", "init", "bulk")
both("a version that was given up", "many1", "nil")
both("what a version has replaced", "first", "nil")

# One by one.
says("get_name map", service.args.map)
says("is_map map", "true")
says("is_map acl", "false")
says("add map a 1", "true")
both("add", "a", "1")
says("set map a 2", "true", 2)
both("set", "a", "2")
says("set map b 3", "nil entry not found.")
both("set of a key that is not there", "b", "nil")
says("force map b 3", "true")
both("set with force", "b", "3")
says("force map b 4", "true")
both("set with force where it is there", "b", "4")
says("del map b", "true", 2)
both("del", "b", "nil")
says("del map b", "nil Key not found.")
says("set acl x y", "nil only maps have values")
says("all map", "a=2 init=bulk")

# Versions.
says("commit map", "nil nothing was prepared")
says("prepare map", "")
says("add map a new", "true")
says("add map c 5", "true")
says("set map c 6", "true")
says("del map nothing", "nil Key not found.")
says("get map c", "6")
check("the other worker's objects see what is in force", lua(2, "get map c") == "nil")
check("so do rules", get("/?key=a") == "2")
says("commit map", "true")
both("commit", "c", "6")
both("commit", "a", "new")
both("commit: what was there", "init", "nil")
says("prepare map", "")
says("add map a never", "true")
says("giveup map", "")
says("giveup map", "")
both("giveup", "a", "new")
says("prepare map", "", 1)
says("add map one 1", "true", 1)
says("prepare map", "", 2)
says("add map two 2", "true", 2)
says("commit map", "true", 2)
check("an older version is no longer there to be put in force",
      lua(1, "commit map").startswith("nil ") and lua(2, "get map two") == "2")
both("of two versions the later one", "two", "2")

# Many at once.
says("bulk map 1000", "true")
both("add_bulk", "key1000", "value1000")
says("all map", "1001", 2)
check("add_bulk: what is no string", lua(1, "bulk map 200 bad").endswith("'add_bulk': a value is no string"))
check("add_bulk: all or nothing", lua(1, "all map") == "1001" and lua(2, "all map") == "1001")
says("walk", "1001 {}")
check("pairs goes on while what it meets is deleted", lua(2, "all map") == "")
says("bulk acl 100", "true")
check("patterns of an ACL", get("/path100") == "listed" and get("/listed") == "listed" and
      lua(2, "get acl /path7") == "true")
says("purge acl", "")
check("purge", get("/path100") != "listed" and get("/listed") != "listed")
says("purge map", "")

said = lua(1, "types").split("\n")
for line, part in zip(said, ("string expected", "string expected", "string expected", "zero byte", "string expected",
                             "string expected", "table expected", "empty", "zero byte", "Patref expected",
                             "string expected", "nothing is loaded from 'nosuch'", "nothing is loaded from '#0'")):
    check(f"{line}", part in line)
check("all of them", len(said) == 13)
check("a fetch cannot wait for a change", "a change waits for all processes" in get("/fetch"))
lua(1, "add map k v")
check("but look", get("/get?key=k") == "v")

# Variables of the process.
service.ask("experimental-mode on; set var proc.number int(5)")
until("get_var", lambda: lua(1, "var proc.number") == "5" and lua(2, "var proc.number") == "5")
says("var proc.other", "nil")
check("get_var: of the process alone", "only variables of the process" in lua(1, "var txn.x"))

# Queues and waits. Tasks run in one of the workers.
checker = until("tasks run in one worker", lambda: [w for w in (1, 2) if lua(w, "push jobs 1") and lua(w, "told")])
if checker:
    worker = checker[0]
    until("an alarm ends core.wait", lambda: lua(worker, "told").endswith("1/nil"))
    lua(worker, "push news 2")
    until("that of another queue, too", lambda: lua(worker, "told").endswith("nil/2"))
says("wait 30", "true")
says("rung", "at once")
says("garbage", "gone")

# Events.
check("s1 is put in maintenance by the other worker", lua(2, "maint") == "done")
until("the worker that checks hears of it, and no other",
      lambda: sorted(lua(w, "events") for w in (1, 2)) ==
      ["", "SERVER_ADMIN:s1 SERVER_DOWN:s1 SERVER_STATE:s1"])
lua(1, "ready")
says("slow", "done")
until("one that is too slow loses events, and that is told",
      lambda: service.logged("Lua event_hdl: a function is too slow: events are lost"))
check("some times a second", service.logged("events are lost") < 100)

# Changes of files of patterns.
worker = 1 if lua(1, "events") else 2


def told(where, wanted):
    """Since the last time."""
    known.setdefault(where, []).extend(wanted.split())
    until(f"the worker that checks is told of {wanted or 'nothing'}",
          lambda: lua(worker, "changes " + where).split() == known[where])


known = {where: lua(worker, "changes " + where).split() for where in ("map", "acl")}
check("all kinds so far", set(known["map"]) == {"ADD", "SET", "DEL", "CLEAR", "COMMIT"})
for words, kinds in (("add map e 1", "ADD"), ("set map e 2", "SET"), ("force map e 3", "SET"),
                     ("force map f 3", "ADD"), ("del map e", "DEL"), ("del map e", ""), ("set map e 1", ""),
                     ("bulk map 1000", "ADD"), ("purge map", "CLEAR"), ("prepare map", ""), ("add map e 1", ""),
                     ("set map e 2", ""), ("bulk map 10", ""), ("commit map", "COMMIT"), ("prepare map", ""),
                     ("add map e 1", ""), ("giveup map", "")):
    lua(1, words)
    told("map", kinds)
for path, kinds in (("/set?key=g&value=1", "ADD"), ("/set?key=g&value=1", ""), ("/set?key=g&value=2", "SET"),
                    ("/del?key=g", "DEL"), ("/del?key=g", "")):
    get(path)
    told("map", kinds)
both("rules change them", "g", "nil")
for words, kinds in (("add acl /e", "PAT_REF_ADD"), ("del acl /e", ""), ("prepare acl", ""),
                     ("commit acl", "PAT_REF_COMMIT"), ("add acl /f", "")):
    lua(2, words)
    told("acl", kinds)
check("no other worker is told", lua(3 - worker, "changes map") == lua(3 - worker, "changes acl") == "")
said = lua(1, "kinds").split("\n")
for line, part in zip(said, ("'SERVER' is for core.event_sub", "'SERVER_UP' is for core.event_sub",
                             "'PAT_REF' is for Patref:event_sub", "'PAT_REF_SET' is for Patref:event_sub",
                             "'PAT_REF_X' event type is unknown", "no valid event types", "needs 3 arguments")):
    check(f"{line}", part in line)
check("all of them", len(said) == 7)


# Commands that read. They come in pieces, and what they do not read is the next command.
def talk(*pieces):
    with connect(service.args.stats) as s:
        got = b""
        for piece in pieces:
            s.sendall(piece)
            while piece == b"lua reads\n" and b"begun\n" not in got:
                got += s.recv(100)
        s.shutdown(socket.SHUT_WR)
        return (got + read_all(s)).decode()


def talks(sentence, wanted, *pieces):
    said = talk(*pieces)
    check(sentence + (f", not {said!r}" if said != wanted else ""), said == wanted)


answer = 'begun\n"one\\n" "ab" "" "c\\n" "two\\n" "the\\nrest" ""\n\n'
talks("getline and receive: in pieces", answer, b"lua reads\n", b"on", b"e\na", b"bc\n", b"two\nthe\n", b"rest")
talks("getline and receive: at once", answer, b"lua reads\none\nabc\ntwo\nthe\nrest")
talks("getline and receive: nothing comes", 'begun\n"" "" "" "" "" "" ""\n\n', b"lua reads\n")
said = {talk(b"lua reads\n", b"one\nabc\ntwo\nthe\nrest") for _ in range(50)}
check("receive: the end that comes with the last bytes" + (f", not {said}" if said != {answer} else ""),
      said == {answer})
lines = b"".join(b"x" * (i % 300) + b"\n" for i in range(3000))
talks("more than fits anywhere", f"3000 lines, {len(lines)} bytes\n\n", b"lua long\n", lines)
talks("what is not read is the next command", f"3000 lines, {len(lines)} bytes\n\ntrue\n\n",
      b"lua long\n" + lines + b"end\nlua is_map map\n")
talks("a command that is not the last of its line reads nothing", "0 lines, 0 bytes\n\ntrue\n\n",
      b"lua long; lua is_map map\n")
check("receive: a number", "number expected" in lua(1, "wrong"))
check("receive: arguments", "requires between 1 and 2" in lua(1, "more"))
check("fetches and converters, without a connection: " + lua(1, "calls"),
      lua(1, "calls") == "{3=2 4=1 7=X 8=.}")
check("fetches and converters, with one: " + service.ask("lua calls").strip(),
      service.ask("lua calls").strip() == "{1=1 2=GLOBAL 3=2 4=1 5=kept 7=X 8=.}")
check("not behind the command", lua(1, "kept").count("this object is over") == 2)
with connect(service.args.stats) as s:
    s.sendall(b"lua reads\nx")
    s.recv(5)
check("one whose peer has gone", lua(1, "is_map map") == "true")

check("names of servers in fetches", get("/servers") == "0 10 1 0 0 7 7 7")
finish()
