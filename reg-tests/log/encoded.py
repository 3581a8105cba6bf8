# SPDX-License-Identifier: BSD-2-Clause
"""The clients and the collectors of encoded.sh."""
import base64
import os
import socket

from encoded_lib import Collector, shown, strict_cbor, strict_json
from service import Service, check, finish

service = Service()
folder = service.args.dir
host, port = service.args.front.split(":")
front = host, int(port)
json_lines = {name: Collector(os.path.join(folder, name)) for name in ("all", "short", "least", "header")}
cbor_lines = {name: Collector(os.path.join(folder, name)) for name in ("hex", "bin", "hex.short", "bin.short")}
ALL = ["ip", "port", "status", "bytes", "ms", "how", "tls", "no", "big", "id", "raw", "method", "uri", "r",
       "agent", "hr", "hrl"]
faults = []


def send(where, text, leaves=False):
    """Sends it, and returns the body of the answer; the connection is at its end then."""
    kind = socket.AF_UNIX if isinstance(where, str) else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as c:
        c.settimeout(60)
        c.connect(where)
        c.sendall(text)
        if leaves:
            return b""
        got = b""
        try:
            while piece := c.recv(65536):
                got += piece
        except ConnectionResetError:
            pass
        return got.partition(b"\r\n\r\n")[2]


def judged(judge, line, what):
    try:
        return judge(line)
    except Exception as e:  # each of them is a line that no strict parser takes
        faults.append("%s: %r: %s" % (what, line[:300], e))
        return {}


def same_types(line):
    return (type(line.get("port")) is int and type(line.get("status")) is int and type(line.get("ms")) is int and
            line.get("tls") is False and line.get("no") is None and line.get("big") == 2 ** 63 - 1 and
            type(line.get("id")) is str and list(line) == ALL)


def prefix_of(short, line):
    """All members are there up to one, which may be shortened."""
    names = list(short)
    if names != list(line)[:len(names)]:
        return False
    return all(short[n] == line[n] or (n == names[-1] and isinstance(line[n], str) and
                                       line[n].startswith(short[n])) for n in names)


def cut_lines(line, what):
    for name, longest in (("short", 300), ("least", 80), ("header", 400)):
        raw = json_lines[name].line()
        text = raw[raw.index(b"{"):]
        short = judged(strict_json, text, what)
        if len(raw) - 1 > longest or not prefix_of(short, line):
            faults.append("%s, %s: %r" % (what, name, raw))


def request(what, path=b"/", agent=b"a", raw=b"", leaves=False, text=None):
    """One request; the line of it, its answer."""
    text = text or (b"GET " + path + b" HTTP/1.1\r\nHost: h\r\nUser-Agent: " + agent + b"\r\nX-Raw: " +
                    base64.b64encode(raw) + b"\r\nConnection: close\r\n\r\n")
    body = send(front, text, leaves)
    line = judged(strict_json, json_lines["all"].line(), what)
    if not same_types(line):
        faults.append("%s: %r" % (what, line))
    cut_lines(line, what)
    for name in ("hex", "bin"):
        send(os.path.join(folder, name + ".sock"), text, leaves)
        got = cbor_lines[name].line()
        value = judged(strict_cbor, bytes.fromhex(got.decode().strip()) if name == "hex" else got[:-1]
                       if got.endswith(b"\xff\n") else got, what)
        short = cbor_lines[name + ".short"].line()
        value_short = judged(strict_cbor, bytes.fromhex(short.decode().strip()) if name == "hex" else short[:-1]
                             if short.endswith(b"\xff\n") else short, what)
        if len(short) - 1 > 200 or not prefix_of(value_short, value):
            faults.append("%s, %s: %r" % (what, name, short))
        for n in ("uri", "r", "agent", "hr", "hrl", "method", "status"):
            if value.get(n) != line.get(n):
                faults.append("%s: %s: %r, %r" % (what, n, value.get(n), line.get(n)))
        value_raw = value.get("raw")
        if line.get("status") == 200 and not leaves and (value_raw or b"") != raw:
            faults.append("%s: raw: %r" % (what, value_raw))
    return line, body


def expect(what, got, wanted):
    if got != wanted:
        faults.append("%s: %r, wanted %r" % (what, got, wanted))


for b in range(256):
    byte = bytes([b])
    what = "byte %u" % b
    line, body = request(what, b"/p" + byte + b"q", b"u" + byte + b"v", b"r" + byte + b"s")
    if line.get("status") == 200 and b not in (9, 32, 63):
        expect(what, line["uri"], shown(b"/p" + byte + b"q"))
    if line.get("status") == 200:
        expect(what, line["agent"], shown(b"u" + byte + b"v"))
        expect(what, line["raw"], shown(b"r" + byte + b"s"))
        expect(what, judged(strict_json, body, what + ", the answer"), {"a": "127.0.0.1", "b": line["agent"]})
    else:
        expect(what, line["r"], "<BADREQ>")
for what, agent in (("UTF-8", "grüße € \U0001f600".encode()), ("Latin-1", "grüße".encode("latin-1")),
                    ("a surrogate", b"\xed\xa0\x80x"), ("too long a form", b"\xc0\xaf\xe0\x80\xaf"),
                    ("half a character", b"x\xe2\x82"), ("quotes", b"\"\\\"\\\\{|}#,:"),
                    ("what looks encoded", b"\\u0041\\n\",\"status\":500,\"x\":\"")):
    line, body = request(what, agent=agent, raw=agent)
    expect(what, line["agent"], shown(agent))
    expect(what, line["raw"], shown(agent))
    expect(what, judged(strict_json, body, what), {"a": "127.0.0.1", "b": shown(agent)})
for length in list(range(60, 140)) + [500, 1020, 1024, 4000, 12000]:
    agent = (b"\xff\"\xc3\xa9a" * length)[:min(length, 3000)]
    line, _ = request("length %u" % length, b"/" + b"\"" * length, agent)
request("no request", text=b"\x16\x03\x01\x00\x05hello\r\n\r\n")
request("bytes", text=bytes(range(256)) + b"\r\n\r\n")
request("half a request", text=b"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \"")
request("a client that leaves", text=b"GET / HTTP/1.1\r\nHo", leaves=True)
ring = [line for line in service.ask("show events r").split("\n") if line]
for line in ring:
    judged(strict_json, line[line.index("{"):].encode(), "the ring")
check("%u lines in the ring, of at most 250 bytes" % len(ring),
      len(ring) > 300 and all(len(line.encode()) <= 250 for line in ring))
for fault in faults[:20]:
    print(fault)
check("every line is one object, with the values that were sent", not faults)
finish()
