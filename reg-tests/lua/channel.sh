#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Channel of actions in mode tcp: what insert, append, set, remove, forward and send do at the bounds of
# what there is, in both directions, whether bytes come at once or one by one.
. "${0%/*}/../lib.sh"
"$PENSTOCK" -vv | grep -q '+LUA' || { say "this build has no Lua"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }

# A line of ten bytes begins with the number of what is done to it.
cat >"$dir/channel.lua" <<'LUA'
local said = {}
local calls = {
	{ "insert", "[]" }, { "insert", "[]", 0 }, { "insert", "[]", 3 }, { "insert", "[]", 10 }, { "insert", "[]", 11 },
	{ "insert", "[]", -1 }, { "insert", "[]", -10 }, { "insert", "[]", -11 }, { "insert", "" },
	{ "append", "[]" }, { "append", "" }, { "append", ("x"):rep(100000) }, { "prepend", "[]" },
	{ "set", "[]" }, { "set", "[]", 8 }, { "set", "[]", 10 }, { "set", "[]", 11 }, { "set", "[]", 2, 0 },
	{ "set", "[]", 2, 3 }, { "set", "[]", 0, 10 }, { "set", "[]", 0, 11 }, { "set", "[]", -2 }, { "set", "" },
	{ "remove" }, { "remove", 9 }, { "remove", 10 }, { "remove", 11 }, { "remove", 0, 1 }, { "remove", -1 },
	{ "remove", 3, 7 }, { "remove", 3, 8 }, { "forward", 0 }, { "forward", 3 }, { "forward", 10 },
	{ "send", "" }, { "send", "[]" },
}
for side, where in pairs { req = "tcp-req", res = "tcp-res" } do
	core.register_action(side, { where }, function(txn)
		local channel = txn[side]
		local call = calls[tonumber(channel:line(0, 10):sub(1, 2))]
		local r = table.pack(pcall(channel[call[1]], channel, table.unpack(call, 2)))
		said[#said + 1] = r[1] and tostring(r[2]) or "error"
	end)
end
core.register_action("other", { "tcp-req" }, function(txn)
	said[#said + 1] = tostring(txn.res:send(("x"):rep(100000)))
end)
core.register_cli({ "calls" }, "", function(applet)
	for _, call in ipairs(calls) do
		local words = {}
		for k, v in ipairs(call) do words[k] = type(v) == "string" and '"' .. v .. '"' or tostring(v) end
		applet:send("[" .. table.concat(words, ",") .. "]\n")
	end
end)
core.register_cli({ "said" }, "", function(applet) applet:send(table.concat(said, " ") .. "\n") said = {} end)
LUA
set -- $(ports 2)
{
	cat <<-END2
		lua-load $dir/channel.lua
	defaults d
		mode tcp
		timeout connect 30s
		timeout client 2m
		timeout server 2m
		tcp-request inspect-delay 1m
		tcp-response inspect-delay 1m
	listen req
		bind $front
		tcp-request content lua.req
		server s $back
	listen res
		bind 127.0.0.1:$1
		tcp-response content lua.res
		server s $back
	listen other
		bind 127.0.0.1:$2
		tcp-request content lua.other
		server s $back
	END2
} | config
start_penstock
driver - --res "127.0.0.1:$1" --other "127.0.0.1:$2" <<'PY' || failures=$((failures + 1))
import json
import socket
import threading

from service import Service, address, check, connect, finish, read_all

service = Service(lambda p: [p.add_argument("--" + n) for n in ("res", "other")])
args = service.args


def send(s, data, single):
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for piece in [data[i:i + 1] for i in range(len(data))] if single else [data]:
        s.sendall(piece)


def answer(s):
    """All that has come, as it has come: in one piece, or byte by byte where the last byte says so."""
    with s:
        got = read_all(s)
        send(s, got, got.endswith(b".\n"))


def serve():
    listener = socket.create_server(address(args.back), backlog=100)
    while True:
        threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def talk(to, line, single):
    with connect(to) as s:
        send(s, line, single)
        s.shutdown(socket.SHUT_WR)
        return read_all(s)


def does(line, name, text="", at=0, length=None):
    """What is left of the line, and what the function says."""
    if not isinstance(text, str): # of remove and forward
        text, at, length = "", text, None if at == 0 and length is None else at
    text = text.encode()
    return MODEL[name](line, text, at, length)


def offset(at):
    return max(at + 10, 0) if at < 0 else at if at <= 10 else None


def replaced(line, text, at, length):
    at = offset(at)
    if at is None or (length is not None and at + length > 10):
        return line, "error"
    length = 10 - at if length is None else length
    return line[:at] + text + line[at + length:], str(len(text))


def removed(line, text, at, length):
    left, said = replaced(line, b"", at, length)
    return left, said if said == "error" else str(10 - len(left))


MODEL = {
    "insert": lambda line, text, at, _: replaced(line, text, at, 0),
    "append": lambda line, text, *_: (line + text, str(len(text))) if len(text) < 10000 else (line, "-1"),
    "prepend": lambda line, text, *_: (text + line, str(len(text))),
    "set": replaced,
    "remove": removed,
    "forward": lambda line, text, at, _: (line, str(at)),
    "send": lambda line, text, *_: (text + line, str(len(text))),
}
threading.Thread(target=serve, daemon=True).start()
calls = [json.loads(line) for line in service.ask("calls").split("\n") if line]
for number, call in enumerate(calls, 1):
    for to in "front", "res":
        for end in b"!\n", b".\n":
            line = b"%02dabcdef" % number + end
            wanted, result = does(line, *call)
            got = talk(getattr(args, to), line, end == b".\n")
            said = service.ask("said").strip()
            if (got, said) != (wanted, result):
                check(f"{to} {str(call)[:60]}: {said} {got[:40]}, not {result} {wanted[:40]}", False)
check(f"{len(calls)} calls, in both directions, at once and byte by byte", len(calls) == 36)
got, said = talk(args.other, b"hello\n", False), service.ask("said").strip()
check(f"send to the client, by a rule of requests: {said} of 100000 bytes, and they are there",
      int(said) >= 16384 and got == b"x" * int(said) + b"hello\n")
finish()
PY
finish
