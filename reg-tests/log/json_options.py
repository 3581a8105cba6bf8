# SPDX-License-Identifier: BSD-2-Clause
"""The clients and the collectors of json_options.sh."""
import os
import re
import shutil
import subprocess

from encoded_lib import Collector, shown, strict_json
from service import Service, check, connect, finish, to_the_end

KINDS = "http", "https", "tcp"
service = Service(lambda p: [p.add_argument("--" + k) for k in KINDS + ("manual",)])
args = service.args
collectors = {kind: Collector(os.path.join(args.dir, kind)) for kind in KINDS}
faults, lines = [], []


def documented():
    """The members of each kind, in their order: rows of the manual's table."""
    kinds = {kind: [] for kind in KINDS}
    with open(args.manual) as f:
        text = f.read().split("#### The options with json")[1].split("\n#")[0]
    for names, where in re.findall(r"^\| (`.*?) \| [^|]* \| ([a-z, ]+) \|$", text, re.M):
        for kind in where.split(", "):
            kinds[kind] += re.findall(r"`(\w+)`", names)
    return kinds


def send(kind, text, leaves=False):
    with connect(getattr(args, kind)) as c:
        c.sendall(text)
        if not leaves:
            to_the_end(c)


def ask(kind, what, text, leaves=False):
    send(kind, text, leaves)
    raw = collectors[kind].line()
    lines.append(raw)
    try:
        line = strict_json(raw)
    except Exception as e:  # each of them is a line that no strict parser takes
        faults.append("%s %s: %s: %r" % (kind, what, e, raw[:300]))
        return {}
    if list(line) != members[kind]:
        faults.append("%s %s: members %s" % (kind, what, list(line)))
    return line


def request(path=b"/", agent=b"a", b=b"b"):
    return (b"GET " + path + b" HTTP/1.1\r\nHost: h\r\nUser-Agent: " + agent + b"\r\nX-B: " + b +
            b"\r\nCookie: sid=" + b + b"\r\nConnection: close\r\n\r\n")


def expect(what, got, **wanted):
    for name, value in wanted.items():
        if name not in got or got[name] != value or type(got[name]) is not type(value):
            faults.append("%s: %s: %r, wanted %r" % (what, name, got.get(name), value))


members = documented()
check("the manual has the members of each kind", all(len(m) > 15 for m in members.values()))
for kind in "http", "https":
    for n in range(256):
        byte = bytes([n])
        line = ask(kind, "byte %u" % n, request(b"/p" + byte + b"q", b"u" + byte + b"v", b"x" + byte + b"y"))
        if line.get("status") == 200:
            expect("byte %u" % n, line, method="GET", version="HTTP/1.1", client="127.0.0.1")
            if n not in (0x23, 0x7b, 0x7c, 0x7d):
                expect("byte %u" % n, line, request_captures="{%s|%s}" % (shown(b"u" + byte + b"v"),
                                                                          shown(b"x" + byte + b"y")))
            if n not in (9, 32):
                expect("byte %u" % n, line, target=shown(b"/p" + byte + b"q"))
        else:
            expect("byte %u" % n, line, method="<BADREQ>", request_captures=None, status=400)
    expect("usual", ask(kind, "usual", request()), status=200, backend="live", server="s",
           termination="----", request_cookie="sid=b", response_cookie="sid=b",
           response_captures="{b}", frontend_conns=1, retries=0)
    expect("denied", ask(kind, "denied", request(b"/deny")), status=403, termination="PR--")
    expect("no server", ask(kind, "no server", request(b"/dead")), status=503, termination="SC--",
           backend="dead", server="s", bytes_in=len(request(b"/dead")))
    expect("slow", ask(kind, "slow", b"GET / HTTP/1.1\r\nUser-Agent: \""), status=408, termination="cR--",
           method="<BADREQ>", target="<BADREQ>")
    expect("left", ask(kind, "left", b"GET / HTTP/1.1\r\nHo", leaves=True), termination="CR--")
    expect("no HTTP", ask(kind, "no HTTP", bytes(range(255, -1, -1))), status=400)
    expect("a long target", ask(kind, "long", request(b"/" + b"\"" * 9000, b"\xff" * 3000)), status=200)
    expect("a head too long", ask(kind, "longest", request(b"/" + b"a" * 40000)), status=414)
expect("https", ask("https", "no TLS", request()), tls_version=None, tls_name=None, tls_resumed=False,
       connection_error=0)
expect("tcp", ask("tcp", "tcp", bytes(range(256))), client="127.0.0.1", backend="tcp", server="s",
       termination="SC", bytes_out=0)
if shutil.which("jq"):
    jq = subprocess.run(["jq", "-c", "type"], input=b"".join(lines), stdout=subprocess.PIPE)
    check("jq takes all lines", jq.returncode == 0 and jq.stdout == b'"object"\n' * len(lines))
for fault in faults[:20]:
    print(fault)
check("%u lines are strict JSON with the members of the manual" % len(lines), not faults)
finish()
