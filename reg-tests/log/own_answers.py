# SPDX-License-Identifier: BSD-2-Clause
"""The table of own_answers.sh: --write makes the configuration, the other forms walk it."""
import os
import re
import socket

from encoded_lib import Collector
from origin import serve_each
from service import PATIENCE, Service, check, finish

service = Service(lambda p: [p.add_argument("--" + k, action="store_true") for k in ("write", "reference", "numbers")])
FOLDER = service.args.dir

# In the lines n is a time, F the section that was asked. HTTP: backend/server, TR/Tw/Tc/Tr/Ta,
# Th/Ti/Tq/Td/Tt, %ST %ts %rc %HM %si:%sp. TCP: backend/server, Tw/Tc/Tt, %ts %rc %si:%sp.
NOTHING = "n/-1/-1/-1/n n/n/n/-1/n"   # the request was there, no more
EARLY = "-1/-1/-1/-1/n n/n/-1/-1/n"   # not even the request
SERVED = "n/n/n/n/n n/n/n/n/n"        # a whole exchange
ASKED = "n/n/n/-1/n n/n/n/-1/n"       # the same without the response
SAME, OTHER = True, False             # as the references say it, or otherwise: doc/differences.md

REQUESTS = [  # name, words of the frontend, request, the answer's status, line, the references
    ("stats page", "stats enable\nstats uri /s", "GET /s", 200, f"F/<STATS> {SERVED} 200 LR 0 GET -:-", SAME),
    ("stats page, no password", "stats enable\nstats uri /s\nstats auth a:b", "GET /s", 401,
     f"F/<STATS> {ASKED} 401 LR 0 GET -:-", OTHER),
    ("stats page, a form", "stats enable\nstats uri /s\nstats admin if TRUE", "POST /s s=x&action=stop&b=%23", 303,
     f"F/<STATS> {SERVED} 303 LR 0 POST -:-", SAME),
    ("stats http-request deny", "stats enable\nstats uri /s\nstats http-request deny", "GET /s", 403,
     f"F/<STATS> {ASKED} 403 PR 0 GET -:-", OTHER),
    ("stats page of the backend", "default_backend statsb", "GET /s", 200, f"statsb/<STATS> {SERVED} 200 LR 0 GET -:-",
     SAME),
    ("metrics", "http-request use-service prometheus-exporter", "GET /m?scope=global", 200,
     f"F/<PROMEX> {SERVED} 200 LR 0 GET -:-", SAME),
    ("service of Lua", "http-request use-service lua.hi", "GET /", 200, f"F/<lua.hi> {SERVED} 200 LR 0 GET -:-", SAME),
    ("service of Lua, of the backend", "default_backend luab", "GET /", 200,
     f"luab/<lua.hi> {SERVED} 200 LR 0 GET -:-", SAME),
    ("monitor-uri", "monitor-uri /m", "GET /m", 200, None, SAME),
    ("monitor fail", "monitor-uri /m\nmonitor fail if TRUE", "GET /m", 503, None, SAME),
    ("no backend", "", "GET /", 503, f"F/<NOSRV> {NOTHING} 503 SC 0 GET -:-", OTHER),
    ("a backend without servers", "default_backend none", "GET /", 503, f"none/<NOSRV> {NOTHING} 503 SC 0 GET -:-", SAME),
    ("no server is up", "default_backend down", "GET /", 503, f"down/<NOSRV> {NOTHING} 503 SC 0 GET -:-", SAME),
    ("the server refuses", "default_backend refuses", "GET /", 503,
     "refuses/s n/n/-1/-1/n n/n/n/-1/n 503 SC 0 GET 127.0.0.1:1", SAME),
    ("the server is silent", "default_backend silent", "GET /", 504, f"silent/s {ASKED} 504 sH 0 GET unix:0", SAME),
    ("the server says no HTTP", "default_backend garbage", "GET /", 502, f"garbage/s {ASKED} 502 PH 0 GET unix:0", SAME),
    ("deny", "http-request deny", "GET /", 403, f"F/<NOSRV> {NOTHING} 403 PR 0 GET -:-", SAME),
    ("deny, of the backend", "default_backend denyb", "GET /", 403, f"denyb/<NOSRV> {NOTHING} 403 PR 0 GET -:-", SAME),
    ("deny, of the response", "default_backend denyr", "GET /", 502, f"denyr/s {SERVED} 502 PH 0 GET unix:0", OTHER),
    ("reject", "http-request reject", "GET /", None, f"F/<NOSRV> {NOTHING} -1 PR 0 GET -:-", OTHER),
    ("auth", "http-request auth", "GET /", 401, f"F/<NOSRV> {NOTHING} 401 LR 0 GET -:-", SAME),
    ("tarpit", "http-request tarpit\ntimeout tarpit 20", "GET /", 500,
     "F/<NOSRV> n/n/-1/-1/n n/n/n/-1/n 500 PT 0 GET -:-", OTHER),
    ("return", "http-request return status 200 content-type text/plain string hi", "GET /", 200,
     f"F/<NOSRV> {NOTHING} 200 LR 0 GET -:-", SAME),
    ("return, of the backend", "default_backend returnb", "GET /", 200, f"returnb/<NOSRV> {NOTHING} 200 LR 0 GET -:-", SAME),
    ("return, of the response", "default_backend returnr", "GET /", 200, f"returnr/s {SERVED} 200 LH 0 GET unix:0", OTHER),
    ("redirect", "http-request redirect location /x", "GET /", 302, f"F/<NOSRV> {NOTHING} 302 LR 0 GET -:-", SAME),
    ("redir of a server", "default_backend redir", "GET /a", 302,
     "redir/s n/n/-1/-1/n n/n/n/-1/n 302 LC 0 GET 127.0.0.1:1", OTHER),
    ("content reject", "tcp-request content reject", "GET /", None, f"F/<NOSRV> {NOTHING} -1 PR 0 GET -:-", OTHER),
    ("content reject, of a path", "tcp-request inspect-delay 5s\ntcp-request content reject if { path / }", "GET /", None,
     f"F/<NOSRV> {NOTHING} -1 PR 0 GET -:-", OTHER),
    ("content reject, of the backend", "default_backend rejectb", "GET /", None,
     f"rejectb/<NOSRV> {NOTHING} -1 PR 0 GET -:-", OTHER),
    ("content reject, of the response", "default_backend rejectr", "GET /", None,
     f"rejectr/s {SERVED} -1 PH 0 GET unix:0", OTHER),
    ("session reject", "tcp-request session reject", "GET /", None, None, SAME),
    ("no request", "", b"GARBAGE \1\r\n\r\n", 400, f"F/<NOSRV> {EARLY} 400 PR 0 <BADREQ> -:-", SAME),
    ("half a request and the end", "", b"GET / HTTP/1.1\r\nHost: h\r\n", 400, f"F/<NOSRV> {EARLY} 400 CR 0 <BADREQ> -:-",
     SAME),
    ("half a request", "timeout http-request 20", b"GET / HTTP/1.1\r\nHost: h\r\n", 408,
     f"F/<NOSRV> {EARLY} 408 cR 0 <BADREQ> -:-", SAME),
    ("TCP: no backend", "mode tcp", b"x", None, "F/<NOSRV> -1/-1/n SC 0 -:-", SAME),
    ("TCP: a backend without servers", "mode tcp\ndefault_backend tnone", b"x", None, "tnone/<NOSRV> -1/-1/n SC 0 -:-", SAME),
    ("TCP: no server is up", "mode tcp\ndefault_backend tdown", b"x", None, "tdown/<NOSRV> -1/-1/n SC 0 -:-", SAME),
    ("TCP: the server refuses", "mode tcp\ndefault_backend trefuses", b"x", None,
     "trefuses/s n/-1/n SC 0 127.0.0.1:1", SAME),
    ("TCP: content reject", "mode tcp\ntcp-request content reject", b"x", None, "F/<NOSRV> -1/-1/n PR 0 -:-", SAME),
    ("TCP: content reject, of the backend", "mode tcp\ndefault_backend trejectb", b"x", None,
     "trejectb/<NOSRV> -1/-1/n PR 0 -:-", SAME),
    ("TCP: service of Lua", "mode tcp\ntcp-request content use-service lua.hit", b"x", None, "F/<lua.hit> n/n/n -- 0 -:-",
     SAME),
]

NOBODY = "server s 127.0.0.1:1"
BACKENDS = {
    "none": "", "down": NOBODY + " disabled", "refuses": "retries 0\n" + NOBODY,
    "silent": "timeout server 20\nserver s unix@@DIR@/silent", "garbage": "server s unix@@DIR@/garbage",
    "redir": NOBODY + " redir http://x", "denyb": "http-request deny\n" + NOBODY,
    "returnb": "http-request return status 200\n" + NOBODY,
    "denyr": "http-response deny\nserver s unix@@DIR@/good",
    "returnr": "http-response return status 200\nserver s unix@@DIR@/good",
    "rejectb": "tcp-request content reject\n" + NOBODY,
    "rejectr": "tcp-response content reject\nserver s unix@@DIR@/good",
    "luab": "http-request use-service lua.hi\n" + NOBODY, "statsb": "stats enable\nstats uri /s\n" + NOBODY,
    "tnone": "mode tcp", "tdown": "mode tcp\n" + NOBODY + " disabled", "trefuses": "mode tcp\nretries 0\n" + NOBODY,
    "trejectb": "mode tcp\ntcp-request content reject\n" + NOBODY,
}

SCRIPT = """
core.register_service("hi", "http", function(applet)
  applet:set_status(200)
  applet:add_header("content-length", "2")
  applet:start_response()
  applet:send("hi")
end)
core.register_service("hit", "tcp", function(applet) applet:send("hi") end)
"""

HTTP_LINE = "%b/%s %TR/%Tw/%Tc/%Tr/%Ta %Th/%Ti/%Tq/%Td/%Tt %ST %ts %rc %HM %si:%sp"
TCP_LINE = "%b/%s %Tw/%Tc/%Tt %ts %rc %si:%sp"


def lines_of(words):
    return "".join("\t%s\n" % word for word in words.replace("@DIR@", FOLDER).split("\n") if word)


def write():
    with open(FOLDER + "/hi.lua", "w") as f:
        f.write(SCRIPT)
    cfg = f"global\n\tstats socket {service.args.stats} level admin\n\tlua-load {FOLDER}/hi.lua\n"
    cfg += f"defaults\n\tmode http\n\tlog {FOLDER}/lines format raw local0\n"
    cfg += "".join(f"\ttimeout {t} 2m\n" for t in ("connect", "client", "server", "http-request"))
    for i, (_, words, _, _, _, _) in enumerate(REQUESTS):
        cfg += f"frontend f{i}\n\tbind {FOLDER}/f{i}\n" + lines_of(words)
        cfg += '\tlog-format "%s"\n' % (TCP_LINE if "mode tcp" in words else HTTP_LINE)
    for name, words in BACKENDS.items():
        cfg += f"backend {name}\n" + lines_of(words)
    with open(service.cfg, "w") as f:
        f.write(cfg)


def serve(name, answer):
    """A server of one answer a connection; None: it waits until the other side closes."""
    path = os.path.join(FOLDER, name)
    if os.path.exists(path):
        os.unlink(path)

    def one(c):
        c.recv(65536)
        if answer:
            c.sendall(answer)
        else:
            c.recv(1)
    serve_each(path, one)


def status_of(i, asked, ends):
    """What the frontend answers: a status, None where there is none."""
    if isinstance(asked, str):
        method, path, *body = asked.split(" ", 2)
        body = body[0] if body else ""
        asked = (f"{method} {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n" +
                 (f"Content-Length: {len(body)}\r\n" if body else "") + f"\r\n{body}").encode()
    got = b""
    with socket.socket(socket.AF_UNIX) as c:
        c.settimeout(PATIENCE)
        c.connect(f"{FOLDER}/f{i}")
        try:
            c.sendall(asked)
            if ends:
                c.shutdown(socket.SHUT_WR)
            while piece := c.recv(65536):
                got += piece
        except (BrokenPipeError, ConnectionResetError):
            pass
    found = re.match(rb"HTTP/1\.[01] (\d+) ", got)
    return int(found[1]) if found else None


def shown(line):
    line = re.sub(r"^f\d+/", "F/", line)
    return re.sub(r"(?<= )[-\d]+(/[-\d]+)+(?= )",
                  lambda times: "/".join("-1" if t == "-1" else "n" for t in times[0].split("/")), line)


def walk():
    lines = Collector(FOLDER + "/lines")
    serve("silent", None)
    serve("garbage", b"nothing\r\n\r\n")
    serve("good", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    for i, (name, _, asked, status, line, same) in enumerate(REQUESTS):
        got = status_of(i, asked, "and the end" in name)
        said = shown(lines.line().decode().strip()) if line else None
        if same or not service.args.reference:
            check(f"{name}: {got}, {said}", (got, said) == (status, line))


def numbers():
    """Those of each worker grow by one, and are short; those of 32 bits are never the same."""
    lines = Collector(FOLDER + "/numbers")
    workers, hashes, count = {}, set(), 0
    while count < 2000 and (len(workers) < 2 or min(map(len, workers.values())) < 3):
        with socket.create_connection((service.args.front.split(":")[0], int(service.args.front.split(":")[1]))) as c:
            c.settimeout(PATIENCE)
            c.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            while c.recv(65536):
                pass
        pid, number, short = map(int, lines.line().split())
        workers.setdefault(pid, []).append(number)
        hashes.add(short)
        count += 1
    for pid, got in workers.items():
        check("%%rt grows by one and begins low: %s" % got[:5], got == list(range(got[0], got[0] + len(got))) and got[0] < 2)
    check("both workers have answered", len(workers) == 2)
    check("%d lines have %d numbers of 32 bits" % (count, len(hashes)), count == len(hashes))


if service.args.write:
    write()
elif service.args.numbers:
    numbers()
else:
    walk()
finish()
