# SPDX-License-Identifier: BSD-2-Clause
"""See field_table.sh. Each row has its rules, for the frontend or for the backend, which are
carried out for the requests that name the row. `server` and `client` are lines of the heads that
arrive there, in lower case; `theirs`: what the reference makes instead. Rows whose request HTTP/2
has, too, are walked with clients and servers of HTTP/2 as well."""

import contextlib
import os
import re
import socket
import subprocess
import sys

from http1 import Reader
from origin import serve_each

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
GONE = "a field that is not there: "  # the beginning of a line that must not arrive


def request(target, *fields, method="GET", version="1.1"):
    return [f"{method} {target} HTTP/{version}", *fields]


def absolute(path, host="admin.example", **more):
    return request(f"http://{host}{path}", f"Host: {host}", **more)


class Row:
    rows = []
    refused = []  # rules that are refused when the configuration is read

    def __init__(self, title, rules, asks, server=(), client=(), theirs=None, answer=OK, back=False):
        self.title, self.asks, self.answer = title, asks, answer
        self.rules = [rules] if isinstance(rules, str) else rules
        self.server, self.client, self.theirs, self.back = server, client, theirs or {}, back
        self.number = len(Row.rows)
        self.plain = asks[0].startswith("GET /") and asks[0].endswith("/1.1") and "Upgrade" not in str(asks)
        Row.rows.append(self)

    def lines(self):
        return [f"\t{rule} {'' if ' if ' in rule else 'if '}row{self.number}" for rule in self.rules]

    def bytes(self, *more):
        first, *fields = (*self.asks, *more)
        return "\r\n".join([first, f"X-Row: {self.number}", *fields, "", ""]).encode()


# Host and the target: they never name two hosts (RFC 9112 3.2.2), and there is one Host.
SEEN = 'http-request set-header X-See "%[url] %[base] %[hdr(host)]"'
for back in (False, True):
    where = "backend" if back else "frontend"
    for title, rule in (
        ("set-header", "http-request set-header Host public.example"),
        ("replace-header", "http-request replace-header Host (.*)admin(.*) \\1public\\2"),
        ("replace-value", "http-request replace-value Host (.*)admin(.*) \\1public\\2"),
    ):
        Row(f"{title} Host, {where}, absolute target", [rule, SEEN], absolute("/x?y"),
            ["get http://public.example/x?y http/1.1", "host: public.example",
             "x-see: http://public.example/x?y public.example/x public.example"], back=back)
        Row(f"{title} Host, {where}", [rule, SEEN], request("/x?y", "Host: admin.example"),
            ["get /x?y http/1.1", "host: public.example",
             "x-see: /x?y public.example/x public.example"], back=back)
Row("add-header Host: a request has one", ["http-request add-header Host public.example", SEEN],
    absolute("/x"), ["get http://public.example/x http/1.1", "host: public.example",
                     GONE + "host: admin", "x-see: http://public.example/x public.example/x public.example"],
    theirs={"server": ["get http://public.example/x http/1.1", "host: admin.example", "host: public.example"]})
Row("del-header and add-header Host", ["http-request del-header Host",
                                      "http-request add-header Host public.example", SEEN],
    absolute("/x"), ["get http://public.example/x http/1.1", "host: public.example",
                     "x-see: http://public.example/x public.example/x public.example"])
Row("Host without a host", ['http-request set-header Host "%[str()]"', SEEN], absolute("/x"),
    ["get /x http/1.1", "host:"], theirs={"server": ["get http:///x http/1.1"]})
Row("Host that is none", ["http-request set-header Host a/b", SEEN], absolute("/x"),
    ["get /x http/1.1", "host: a/b"], theirs={"server": ["get http://a/b/x http/1.1"]})
Row("Host of 1.0, which has none", ["http-request set-header Host public.example"],
    request("http://admin.example/x", version="1.0"),
    ["get http://public.example/x http/1.0", "host: public.example"])
Row("Host, CONNECT: the port stays", ["http-request set-header Host public.example", SEEN],
    request("admin.example:444", "Host: admin.example:444", method="CONNECT"),
    ["connect public.example:444 http/1.1", "host: public.example:444",
     "x-see: public.example:444 public.example:444 public.example:444"],
    theirs={"server": ["connect public.example http/1.1"]})
Row("Host with a port, CONNECT", ["http-request set-header Host public.example:80"],
    request("admin.example:444", "Host: admin.example:444", method="CONNECT"),
    ["connect public.example:80 http/1.1", "host: public.example:80"])
Row("set-uri, CONNECT", ["http-request set-uri public.example:80", SEEN],
    request("admin.example:444", "Host: admin.example:444", method="CONNECT"),
    ["connect public.example:80 http/1.1", "host: public.example:80"])
Row("set-uri", ["http-request set-uri http://public.example/z", SEEN], absolute("/x"),
    ["get http://public.example/z http/1.1", "host: public.example"])
Row("a path is no part of the host", ["http-request set-path .evil"], absolute("/x?y"),
    ["get http://admin.example/.evil?y http/1.1", "host: admin.example"],
    theirs={"server": ["get http://admin.example.evil?y http/1.1"]})
Row("http-send-name-header Host", [], absolute("/x", host="name.example"),
    ["get http://s/x http/1.1", "host: s"],
    theirs={"server": ["get http://name.example/x http/1.1", "host: s"]})

# An empty path is "/" (RFC 9110 4.2.3); OPTIONS asks the server as a whole.
for scheme in ("http", "HTTPS"):
    Row(f"{scheme}: no path", [SEEN], request(f"{scheme}://a.example", "Host: a.example"),
        [f"get {scheme.lower()}://a.example/ http/1.1",
         f"x-see: {scheme.lower()}://a.example/ a.example/ a.example"])
Row("a query without a path", [SEEN], absolute("?a=1"), ["get http://admin.example/?a=1 http/1.1"],
    theirs={"client": ["http/1.1 400"]})
Row("no path, OPTIONS", [], absolute("", method="OPTIONS"), ["options http://admin.example http/1.1"])
Row("a query without a path, OPTIONS", [], absolute("?a", method="OPTIONS"),
    ["options http://admin.example/?a http/1.1"], theirs={"client": ["http/1.1 400"]})
Row("an empty path by set-path", ['http-request set-path "%[str()]"'], absolute("/x?y"),
    ["get http://admin.example/?y http/1.1"], theirs={"server": ["get http://admin.example?y http/1.1"]})
Row("an empty path by replace-path", ["http-request replace-path /x(.*) \\1"],
    request("/x?y", "Host: a"), ["get /?y http/1.1"], theirs={"server": ["get ?y http/1.1"]})
Row("OPTIONS made GET", ["http-request set-method GET"], absolute("", method="OPTIONS"),
    ["get http://admin.example/ http/1.1"], theirs={"server": ["get http://admin.example http/1.1"]})
Row("deny if path_beg", ["http-request deny if { path_beg / }"],
    absolute(""), client=["http/1.1 403"])
Row("redirect keeps the query", ["http-request redirect prefix https://new.example"], absolute("?a=1"),
    client=["location: https://new.example/?a=1"], theirs={"client": ["http/1.1 400"]})

# Connection and Upgrade: what rules say of the connection that the message leaves over.
UPGRADE = ["Upgrade: websocket", "Connection: uPgRade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
           "Sec-WebSocket-Version: 13"]
PLAIN = request("/x", "Host: a")
ASKS = request("/x", "Host: a", *UPGRADE)
Row("Connection: close to the server", ["http-request set-header Connection close"], PLAIN,
    ["connection: close"], [GONE + "connection"])
Row("Connection: close to the server, backend", ["http-request add-header Connection close"], PLAIN,
    ["connection: close"], back=True)
Row("other options pass", ['http-request set-header Connection "close, x-option, keep-alive"'], PLAIN,
    ["connection: x-option", "connection: close"])
Row("keep-alive is said where the version needs it", ["http-request set-header Connection keep-alive"],
    PLAIN, [GONE + "connection"])
Row("keep-alive, 1.0", ["http-request set-header Connection keep-alive"],
    request("/x", "Host: a", version="1.0"), ["connection: keep-alive"], ["connection: close"])
Row("letters of Connection stay", [], ASKS, ["connection: upgrade", "upgrade: websocket"])
Row("nobody has asked to upgrade", ["http-request set-header Upgrade websocket",
                                   "http-request set-header Connection upgrade"], PLAIN,
    [GONE + "connection", GONE + "upgrade"], theirs={"server": ["connection: upgrade", "upgrade: websocket"]})
for title, rule in (("Upgrade alone", "http-request set-header Upgrade websocket"),
                    ("upgrade alone", "http-request set-header Connection upgrade")):
    Row(f"{title} goes nowhere", [rule], PLAIN, [GONE + "connection", GONE + "upgrade"], theirs={"server": []})
for title, rule in (("Upgrade", "http-request del-header Upgrade"),
                    ("Connection", "http-request del-header Connection")):
    Row(f"del-header {title}: its partner goes with it", [rule], ASKS,
        [GONE + "connection", GONE + "upgrade"], theirs={"server": []})
Row("Connection: close in place of upgrade", ["http-request set-header Connection close"], ASKS,
    ["connection: close", GONE + "upgrade"], theirs={"server": ["connection: close"]})
Row("add-header Connection close: the upgrade stays", ["http-request add-header Connection close"], ASKS,
    ["connection: upgrade", "upgrade: websocket"], theirs={"server": ["upgrade: websocket"]})
Row("upgrade set anew", ["http-request set-header Connection Upgrade"], ASKS,
    ["connection: upgrade", "upgrade: websocket"])
Row("another protocol behind our back", ["http-request set-header Upgrade h2c"], ASKS,
    [GONE + "connection", GONE + "upgrade"], theirs={"server": []})
for rule in ("http-response set-header", "http-response add-header", "http-after-response set-header"):
    Row(f"{rule} Connection close", [f"{rule} Connection close"], PLAIN, [GONE + "connection"],
        ["connection: close"])
Row("replace-header Connection", ["http-response replace-header Connection .* close"], PLAIN,
    client=["connection: close"],
    answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x-option\r\n\r\nok")
Row("a response offers another protocol", ["http-response set-header Upgrade h2c",
                                          "http-response set-header Connection upgrade"], PLAIN,
    client=["upgrade: h2c", "connection: upgrade"], theirs={"client": ["connection: upgrade"]})
Row("a response keeps its connection", ["http-response set-header Connection keep-alive"], PLAIN,
    client=[GONE + "connection"])
for answer in ("return status 200 content-type text/plain string ok", "deny deny_status 404 content-type a/b string x",
               "tarpit deny_status 404 content-type a/b string x", "return status 200"):
    Row(f"{answer}: Connection close", [f"http-request {answer} hdr Connection close"], PLAIN,
        client=["connection: close"])
Row("http-error: Connection close", ["http-request deny deny_status 410"], PLAIN, client=["connection: close"])

# What the program's own answers say by themselves.
TEXT = "http-request return status 200 content-type text/plain string ok hdr "
ONE = ["content-length: 2", "content-type: text/plain", GONE + "content-length: 77",
       GONE + "transfer-encoding", GONE + "content-type: text/x"]
for field in ("Content-Length 77", "Transfer-Encoding chunked", "Content-Type text/x"):
    # Where there is no body, a type is no second one.
    stays = ["content-type: text/x"] if field.startswith("Content-Type") else [ONE[-1]]
    Row(f"hdr {field}", [TEXT + field], PLAIN, client=ONE)
    Row(f"hdr {field}, deny", ["http-request deny deny_status 404 hdr " + field], PLAIN,
        client=["content-length: 0", *ONE[2:-1], *stays], theirs={"client": ["content-length: 0", *ONE[2:]]})
    Row(f"hdr {field}, 204", ["http-request return status 204 hdr " + field], PLAIN,
        client=["http/1.1 204", GONE + "content-length", ONE[3], *stays],
        theirs={"client": ["http/1.1 204", GONE + "content-length", *ONE[3:]]})
Row("http-error", ["http-request deny deny_status 410"], PLAIN,
    client=["http/1.1 410", "connection: close", "content-length: 2", "content-type: text/plain", "x-a: b", *ONE[2:]])
Row("early-hint", ["http-request early-hint Content-Length 77"], PLAIN, client=[GONE + "content-length: 77"],
    theirs={"client": []})
for rule in ("set-header", "add-header"):
    Row(f"http-request {rule} Content-Length", [f"http-request {rule} Content-Length 7"], PLAIN,
        [GONE + "content-length"], theirs={"server": []})
    Row(f"http-response {rule} Content-Length", [f"http-response {rule} Content-Length 7"], PLAIN,
        client=["content-length: 2", GONE + "content-length: 7"], theirs={"client": []})
    Row(f"http-response {rule} Transfer-Encoding", [f"http-response {rule} Transfer-Encoding chunked"], PLAIN,
        client=["content-length: 2", GONE + "transfer-encoding"], theirs={"client": []})

Row("TE", ['http-request set-header TE "gzip, trailers"'], PLAIN, ["te: trailers"])
Row("TE without trailers", ["http-request set-header TE gzip"], PLAIN, [GONE + "te"])

# Fields that pass as rules have made them.
for field, value in (("Date", "now"), ("Via", "1.1 a"), ("Forwarded", "for=a"), ("X-Forwarded-For", "a"),
                     ("Cookie", "a=b"), ("Expect", "x"), ("Trailer", "x"), ("Keep-Alive", "timeout=3"),
                     ("Proxy-Connection", "x"), ("Content-Type", "text/x")):
    Row(f"set-header {field}", [f'http-request set-header {field} "{value}"'], PLAIN,
        [f"{field.lower()}: {value}"])
for field, value in (("Date", "now"), ("Set-Cookie", "a=b"), ("Vary", "*"), ("Alt-Svc", "clear"), ("Via", "1.1 a"),
                     ("Content-Type", "text/x")):
    Row(f"http-response set-header {field}", [f'http-response set-header {field} "{value}"'], PLAIN,
        client=[f"{field.lower()}: {value}"])
for pseudo in (":authority", ":path", ":scheme", ":method"):
    Row.refused.append(f"http-request set-header {pseudo} x")


# The same changes by scripts. A filter edits a request when that leaves, behind all rules, and says
# by Content-Length how long the body is that it makes.
VERBS = {"set-header": "set", "add-header": "add", "del-header": "del", "replace-header": "rep",
         "replace-value": "repval"}
for row in list(Row.rows):
    edits = [re.fullmatch(r"http-(req|res)\w+ ([a-z]+-(?:header|value)) (\S+) ?(.*)", rule) for rule in row.rules
             if rule != SEEN]
    if not edits or not all(edits) or any(edit[2] not in VERBS or "%[" in edit[4] for edit in edits):
        continue
    edits = [(edit[1], VERBS[edit[2]], edit[3], edit[4]) for edit in edits]
    rest = [rule for rule in row.rules if rule == SEEN]
    said = {"server": row.server, "client": row.client, "theirs": row.theirs, "answer": row.answer}
    Row(f"{row.title}, Lua", [
        f"http-{way}{'uest' if way == 'req' else 'ponse'} lua.edit_{way} {verb} {name} "
        f"{value if verb.startswith('rep') else (value or 'x') + ' x'}" for way, verb, name, value in edits] + rest,
        row.asks, back=row.back, **said)
    if not any(verb.startswith("rep") or name in ("Content-Length", "Transfer-Encoding")
               for _, verb, name, _ in edits):
        for side in ("server", "client"):
            said[side] = [line for line in said[side] if not line.startswith("x-see")]
        Row(f"{row.title}, filter", [], row.asks + [
            "X-Filter: " + " ".join([*edit[:3], edit[3].strip('"')]).strip() for edit in edits], **said)


def write():
    print(f"""global
\tlua-load {os.path.splitext(os.path.abspath(__file__))[0]}.lua
defaults
\tmode http
\ttimeout connect 30s
\ttimeout client 30s
\ttimeout server 30s
\ttimeout tarpit 1ms
\thttp-error status 410 content-type text/plain string no hdr X-A b hdr Connection close hdr Content-Length 77 hdr Content-Type text/x
frontend fe
\tbind FRONT
\tfilter lua.editor
\thttp-request set-var(txn.row) req.hdr(x-row)""".replace("FRONT", args.front))
    for row in Row.rows:
        print(f"\tacl row{row.number} var(txn.row) -m str {row.number}")
        if not row.back:
            print("\n".join(row.lines()))
    print("\tuse_backend named if { req.hdr(host) name.example }\n\tdefault_backend be\nbackend be")
    for row in Row.rows:
        print(f"\tacl row{row.number} var(txn.row) -m str {row.number}")
        if row.back:
            print("\n".join(row.lines()))
    print(f"\tuse-server h2 if {{ req.hdr(x-to) h2 }}\n\tserver s {args.back}\n\tserver h2 {args.back} proto h2 weight 0\nbackend named\n\thttp-send-name-header Host\n\tserver s {args.back}")


class Origin:
    """Keeps the last head, and answers as the row says."""

    def __init__(self, listener):
        self.head, self.answer = "", OK
        serve_each(listener, self.serve)


    def serve(self, conn):
        reader = Reader(conn)
        reader.more()
        if reader.held.startswith(frames.PREFACE):
            self.serve_h2(frames.Client(None, preface=b"", sock=conn), bytes(reader.held))
            return
        while (head := reader.head()) is not None:
            self.head = head.decode("latin-1").lower()
            conn.sendall(self.answer)

    def serve_h2(self, peer, first):
        """As a client reads, without the preface."""
        peer.rest, at = first[len(frames.PREFACE):], 0
        peer.read()
        while True:
            for f in peer.seen[at:]:
                if f.kind == frames.HEADERS:
                    self.head = h2_head(f)
                    head, body = self.answer.split(b"\r\n\r\n", 1)
                    status, *fields = head.decode("latin-1").split("\r\n")
                    fields = [field.lower().split(": ", 1) for field in fields]
                    peer.send(frames.headers(f.stream, [(":status", status.split()[1]), *fields], end=False) +
                              frames.frame(frames.DATA, frames.END_STREAM, f.stream, body))
            at = len(peer.seen)
            if not peer.receive():
                return


def h2_head(f):
    return "\r\n".join(f"{name}: {value}" for name, value in frames.read_block(f.payload)).lower()


HOPS = ("connection", "upgrade", "keep-alive", "proxy-connection", "transfer-encoding")


def in_h2(lines):
    """The same in HTTP/2: fields of a connection stay behind (RFC 9113 8.2.2)."""
    for line in lines:
        gone = line.startswith(GONE)
        name, _, value = line[len(GONE) * gone:].partition(":")
        if line.startswith("http/1.1 "):
            yield ":status: " + line[9:12]
        elif line.endswith(" http/1.1"):
            yield from (f":method: {line.split()[0]}", f":path: {line.split()[1]}")
        elif name == "host":
            yield GONE + ":authority:" + value if gone or not value else ":authority:" + value
        elif name in HOPS:
            yield GONE + name
        else:
            yield line


def ask_h2(row, *more):
    """The same over HTTP/2, and whether GOAWAY followed."""
    first, *fields = row.asks
    fields = [field.lower().split(": ", 1) for field in (*fields, *more)]
    host = [value for name, value in fields if name == "host"]
    client = frames.Client(args.front)
    stream = client.open(frames.request(first.split()[1], host=host[0], extra=[
        ("x-row", str(row.number)), *(field for field in fields if field[0] != "host")]))
    client.ends(stream)
    heads = [f for f in client.seen if f.kind == frames.HEADERS and f.stream == stream]
    if "connection: close" in row.client:
        goes = bool(client.wait(lambda f: f.kind == frames.GOAWAY))
    else:
        client.ping()
        goes = any(f.kind == frames.GOAWAY for f in client.seen)
    client.close()
    return h2_head(heads[-1]) if heads else "", goes


def ask(row, *more):
    """The head of the answer."""
    with connect(args.front) as client:
        client.sendall(row.bytes(*more))
        return (Reader(client).head() or b"").decode("latin-1").lower()


def arrived(wanted, head):
    lines = [line.rstrip() for line in head.split("\r\n")]
    for line in wanted:
        if line.startswith(GONE):
            if any(other.startswith(line[len(GONE):]) for other in lines):
                return False
        elif not any(other == line or (line.startswith("http/") and other.startswith(line)) for other in lines):
            return False
    return True


def goaway(row):
    """The same over HTTP/2: the frames of the answer's stream, then GOAWAY (type 7), then the
    end."""
    number = str(row.number).encode()
    block = b"\x82\x86\x84\x41\x01a\x00\x05x-row" + bytes([len(number)]) + number
    with connect(args.front) as client:
        client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) +
                       bytes([0, 0, len(block), 1, 5, 0, 0, 0, 1]) + block)
        data, kinds = b"", []
        with contextlib.suppress(ConnectionResetError):
            while piece := client.recv(65536):
                data += piece
    while len(data) >= 9:
        kinds.append(data[3])
        data = data[9 + int.from_bytes(data[:3], "big"):]
    check(f"HTTP/2: GOAWAY behind the stream, then the end: {kinds}", [k for k in kinds if k in (0, 1, 7)][-2:] == [0, 7])


def walk_h2(origin):
    for row in Row.rows:
        for front, back in (("h2", "h1"), ("h1", "h2"), ("h2", "h2")):
            if not row.plain or (back == "h2" and row.answer is not OK):
                continue
            origin.head, origin.answer = "", row.answer
            more = ["X-To: h2"] if back == "h2" else []
            client, goes = ask_h2(row, *more) if front == "h2" else (ask(row, *more), False)
            wanted = {"server": row.server, "client": row.client}
            heads = {"server": origin.head, "client": client}
            good = goes == (front == "h2" and "connection: close" in row.client)
            for side, protocol in (("client", front), ("server", back)):
                lines = list(in_h2(wanted[side])) if protocol == "h2" else wanted[side]
                if not arrived(lines, heads[side]):
                    print(f"{side}: wanted {lines}\n  got {heads[side]!r}")
                    good = False
            check(f"{front} to {back}: {row.title}{', GOAWAY' if goes else ''}", good)


def walk(theirs):
    origin = Origin(socket.create_server(address(args.back)))
    for row in Row.rows:
        origin.head, origin.answer = "", row.answer
        client = ask(row)
        wanted = {"server": row.server, "client": row.client}
        if theirs and row.theirs:
            wanted = {"server": [], "client": [], **row.theirs}
        for side, head in (("server", origin.head), ("client", client)):
            if not arrived(wanted[side], head):
                print(f"{side}: wanted {wanted[side]}\n  got {head!r}")
                check(f"{'theirs' if theirs else 'ours'}: {row.title}", False)
                break
        else:
            check(f"{'theirs' if theirs else 'ours'}: {row.title}", True)
    if not theirs:
        walk_h2(origin)
    goaway(next(row for row in Row.rows if row.rules and "string ok hdr Connection close" in row.rules[0]))
    for rule in [] if theirs else Row.refused:
        path = os.path.join(args.dir, "refused.cfg")
        with open(path, "w", encoding="ascii") as f:
            f.write(f"defaults\n\tmode http\nfrontend fe\n\tbind {args.front}\n\t{rule}\n")
        said = subprocess.run([os.environ["PENSTOCK"], "-c", "-f", path], capture_output=True, check=False)
        check(f"refused: {rule}", said.returncode != 0 and b"is no name of a header" in said.stderr + said.stdout)


import frames
from service import Service, address, check, connect, finish

what = sys.argv.pop(1)
service = Service()
args = service.args
if what == "write":
    write()
else:
    walk(what == "theirs")
    finish()
