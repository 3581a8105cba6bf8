# SPDX-License-Identifier: BSD-2-Clause
"""
What 16 kB of a client may cost: every fetch, converter, action and persistence mode gets the worst
that a head or a body of 16 kB can be (repeated, nested, growing, broken off), and may take 2 ms of
the processor and 8 times the input of memory more than the same request costs without it. What
there is is asked from the program (-dKsmp, -dKcnv, help http-request ...), arguments are filled in
by type; a word for which that makes no valid rule fails here until ARGUMENTS has some. Run by
budget.sh.

  budget.py PROGRAM FOLDER FRONT ORIGIN PRELOAD [FACTOR [STRIDE]]

PRELOAD counts the bytes that the program has from malloc (heap.c); "": memory is not looked at.
FACTOR: of the time, for builds that are slow; STRIDE: such a build sends one of so many requests,
each word another one.
"""

import base64
import json
import mmap
import os
import re
import socket
import struct
import subprocess
import sys
import time
import zlib

import line_breaks
from http1 import Reader
from origin import serve

PATIENCE = 120
INPUT = 15000  # bytes; with the rest of the head below tune.bufsize
TIME_NS = 2_000_000
MEMORY = 8 * 16384
TRIES = 20
WORK_NS = 490_000  # of slowness() where TIME_NS was set

program, folder, front, origin_at, preload = sys.argv[1:6]
factor = float(sys.argv[6]) if len(sys.argv) > 6 else 1.0
stride = int(sys.argv[7]) if len(sys.argv) > 7 else 1


def fill(piece, size=INPUT):
    return (piece * (size // len(piece) + 1))[:size - size % len(piece)]


# ---- what is asked of ----


# By name or its end; else by type.
ARGUMENTS = {
    "bin": "0a", "bool": "true", "ipv4": "192.0.2.1", "ipv6": "::1", "meth": "GET", "env": "HOME", "srv_": "be/s",
    "fc_pp_tlv": "0x20", "payload": "0,10000", "payload_lv": "0,2", "rdp_cookie": "a", "rdp_cookie_cnt": "a",
    "capture.req.hdr": "0", "capture.res.hdr": "0", "hdr_names": ":", "body_param": "a", "urlp": "a", "urlp_val": "a",
    "url_param": "a", "cook": "S", "cook_cnt": "S", "cook_val": "S", "cookie": "S", "hdr": "x", "hdr_cnt": "x", "hdr_ip": "x",
    "hdr_val": "x", "fhdr": "x", "fhdr_cnt": "x", "http_auth_bearer": "", "i_dn": "CN", "s_dn": "CN", "uuid": "", "rand": "",
    "fc_rtt": "", "fc_rttvar": "", "bc_rtt": "", "bc_rttvar": "", "date": "", "accept_date": "", "request_date": "",
    "r_dn": "CN", "has_ctl": "any", "when": "normal", "rfc7239_field": "for", "acl": "TRUE",
    "add_item": "',',txn.raw,z", "concat": "a,txn.raw,b", "field": "5000,','", "word": "5000,','", "iif": "a,b", "ltrim": "a", "rtrim": "a",
    "regsub": "a,bbbbbbbb,g", "url_dec": "1", "url_enc": "query", "be2dec": "':',2", "be2hex": "':',1", "bytes": "1,20000",
    "http_date": "", "ltime": "%s", "utime": "%s", "json": "utf8s", "language": "'en;fr;de',en", "json_query": "'$.a.a.a.a'",
    "jwt_header_query": "'$.alg'", "jwt_payload_query": "'$.a.a'", "aes_gcm_dec": "128,txn.raw,txn.raw,txn.raw", "digest": "sha256",
    "hmac": "sha256,a2V5", "sha2": "256", "jwt_verify": "txn.raw,txn.raw", "ipmask": "24,64", "add": "1", "and": "1", "div": "3", "mod": "3",
    "distcc_body": "DOTI", "distcc_param": "DOTI", "fix_tag_value": "35", "mqtt_field_value": "connect,username",
    "protobuf": "1.2", "ungrpc": "1.2", "debug": "a,buf0",
    "mul": "3", "or": "1", "sub": "1", "xor": "1", "set-var": "txn.other", "unset-var": "txn.other", "capture-req": "0", "capture-res": "0",
}
BY_TYPE = {"string": "x", "integer": "1", "IPv4 address": "192.0.2.1", "IPv6 address": "::1", "IPv4 mask": "24", "IPv6 mask": "64",
           "backend": "be", "frontend": "fe", "server": "be/s", "variable": "txn.raw", "userlist": "users", "stick table": "tb"}

# Exist only where this test is not, and look at nothing that a client writes.
ELSEWHERE = set("""srv_id srv_name""".split())


def rows(which):
    """(name, argument types) of each word of -dK<class>."""
    said = subprocess.run([program, "-dK" + which, "-c", "-f", "/dev/null"], capture_output=True, text=True).stdout
    for line in said.splitlines():
        m = re.match(r"\t([\w.+-]+)(?:\[?\(([^)]*)\)\]?)?: ", line)
        if m:
            yield m[1], re.sub(r"[][]", "", m[2]).split(",") if m[2] else []


def arguments(name, types):
    if not types:
        return ""
    last = name.split(".", 1)[-1] if name[:4] in ("req.", "res.") else name
    for known in (name, last, re.sub(r"^[sc]_?(?=cook|hdr)|^s(?=cook|hdr)", "", last), re.sub(r"^ssl_[a-z]_", "", last)):
        if known in ARGUMENTS:
            return "(%s)" % ARGUMENTS[known]
    if name.startswith("map"):
        return "(%s/map%s)" % (folder, re.sub(r"^map(_[a-z]+)?(_int|_ip)?$", lambda m: (m[1] or "_str") + (m[2] or ""), name))
    return "(%s)" % ",".join(BY_TYPE.get(t, "x") for t in types)


# ---- the worst of 16 kB ----


def values():
    """Values of a field, as bad as can be in one way each."""
    yield "list", fill(b"a,")
    yield "empties", fill(b",")
    yield "blanks", b"a" + fill(b" \t") + b"b"
    yield "one word", fill(b"a")
    yield "quotes", fill(b'"')
    yield "open quote", b'"' + fill(b'\\"a,')
    yield "backslashes", fill(b"\\")
    yield "digits", fill(b"9")
    yield "addresses", fill(b"192.0.2.1,")
    yield "escapes", fill(b"%41")
    yield "broken escapes", fill(b"%4")
    yield "languages", fill(b"en;q=0.1,")
    yield "base64", base64.b64encode(fill(b"a", 11000))
    yield "basic", b"Basic " + base64.b64encode(fill(b"u:", 11000))
    yield "bearer", b"Bearer " + fill(b"a.")
    yield "jwt", b".".join(base64.urlsafe_b64encode(x).rstrip(b"=") for x in (b'{"alg":"HS256"}', fill(b'{"a":', 8000), fill(b"a", 2000)))
    yield "nested", fill(b'{"a":')
    yield "arrays", fill(b"[")
    yield "members", b"{" + fill(b'"a":1,') + b'"a":1}'
    yield "text", b'{"a":"' + fill(rb"\u00e9") + b'"}'
    yield "pairs", fill(b"a=1&")
    yield "dots", fill(b"../")
    yield "dates", fill(b"Mon, 01 Jan 2024 00:00:00 GMT")
    yield "high", fill(b"\xff")
    yield "hex", fill(b"0a")


def request(case, target=b"/", fields=b"", method=b"GET", body=b""):
    return (b"%s %s HTTP/1.1\r\nHost: a\r\nCase: %s\r\nId: 1\r\n%s" % (method, target, case, fields) +
            (b"Content-Length: %d\r\n" % len(body) if body else b"") + b"\r\n" + body)


def requests(case):
    """(name, request) of what a fetch may look at."""
    for name, value in values():
        yield name, request(case, fields=b"X: %s\r\n" % value)
    for name, cookie in (("cookies", b"S=a;"), ("commas", b"S=a,"), ("no cookies", b";"), ("quoted cookies", b'S="a;\\"";'), ("dates", b"S=s|AAAAA|AAAAA;"),
                         ("prefixed", b"S=s~a;"), ("others", b"T=1; "), ("growing", b"")):
        cookie = fill(cookie) if cookie else b";".join(b"S=" + b"a" * n for n in range(160))
        yield name, request(case, fields=b"Cookie: %s\r\n" % cookie)
    yield "fields", request(case, fields=b"X: %s\r\n" % fill(b"a,", 150) * 90)
    yield "cookie fields", request(case, fields=b"Cookie: %s\r\n" % fill(b"S=a;", 148) * 90)
    yield "connection", request(case, fields=b"Y: 1\r\n" * 90 + b"Connection: %s\r\n" % fill(b"x,", 13000))
    yield "connection that names", request(case, fields=b"".join(b"Y%d: 1\r\n" % n for n in range(90)) +
                                           b"Connection: %s\r\n" % (b",".join(b"y%d" % n for n in range(90)) * 20))
    for name, query in (("parameters", b"b=1&"), ("of the name", b"a=1&"), ("separators", b"&"), ("no values", b"a&"), ("escaped", b"%61=%31&"),
                        ("plus", b"+"), ("marks", b"?")):
        yield name, request(case, b"/?" + fill(query))
    for name, path in (("segments", b"a/"), ("slashes", b"/"), ("up", b"../"), ("down and up", b"a/../"), ("dot", b"./"), ("escaped path", b"%2e%2E/"),
                       ("unreserved", b"%41")):
        yield name, request(case, b"/" + fill(path))
    yield "absolute", request(case, b"http://a/" + fill(b"a/"))
    yield "credentials", request(case, fields=b"Authorization: Basic %s\r\n" % base64.b64encode(fill(b"u:", 11000)))
    yield "bearer", request(case, fields=b"Authorization: Bearer %s\r\n" % fill(b"a."))
    yield "body", request(case, fields=b"Content-Type: application/x-www-form-urlencoded\r\n", method=b"POST", body=fill(b"a=1&", 14000))
    yield "json body", request(case, method=b"POST", body=fill(b'{"a":', 14000))
    yield "chunks", request(case, fields=b"Transfer-Encoding: chunked\r\n", method=b"POST") + fill(b"1\r\na\r\n", 12000) + b"0\r\n\r\n"


def for_value(case):
    for name, value in values():
        yield name, request(case, fields=b"Y: %s\r\nX: a\r\n" % value)


def for_text(case):
    """For what makes text: long, full of escapes, of what has to be encoded, of separators."""
    for name, value in (("long", fill(b"a", 7000)), ("backslashes", fill(b"\\", 7000)), ("controls", fill(b"%0d%0a", 15000)), ("list", fill(b"a,", 7000))):
        yield name, request(case, fields=b"Y: %s\r\nX-Old: %s\r\n" % (value, fill(b"a", 100)))
        yield name + " in the field", request(case, fields=b"Y: %s\r\nX-List: %s\r\n" % (fill(b"\\1", 2000), fill(b"a,", 10000)))
    yield "path", request(case, b"/" + fill(b"a/../"), fields=b"Y: a\r\n")
    yield "escaped path", request(case, b"/" + fill(b"%61%2e"), fields=b"Y: a\r\n")
    yield "query", request(case, b"/?" + fill(b"b=1&a=1&", 14000), fields=b"Y: a\r\n")
    yield "names", request(case, fields=b"".join(b"X%d: a\r\n" % n for n in range(90)))


def for_backtracking(case):
    """For expressions that try all ways to cut a row of letters in pieces, and find that none
    does."""
    row = b"a" * 30 + b"!,"
    yield "equal values", request(case, fields=b"X: %s\r\n" % fill(row, 15000))
    yield "other values", request(case, fields=b"X: %s\r\n" % b",".join(b"a" * 29 + b"b%d!" % n for n in range(400)))
    yield "one long value", request(case, fields=b"X: %s!\r\n" % fill(b"a", 15000))
    yield "lines", request(case, fields=b"X: %s!\r\n" % (b"a" * 30) * 90)
    yield "names", request(case, fields=b"".join(b"%s%d: a\r\n" % (b"x" * 40, n) for n in range(90)))
    yield "path", request(case, b"/" + b"a" * 5000 + b"!")


def for_cookies(case):
    for name, data in requests(case):
        if "ookie" in name or name in ("dates", "prefixed", "others", "growing", "commas", "parameters", "of the name", "list", "segments", "body"):
            yield name, data


# ---- the configuration ----


class Case:
    def __init__(self, what, lines, send):
        self.what, self.lines, self.send = what, lines, send


def cases():
    """All there are, with lines that hold @: the condition of the case."""
    for name, types in rows("smp"):
        word = (name + arguments(name, types)).replace("$", "\\$")
        yield Case("fetch " + word, [(where, 'set-var(txn.o) "%s" @' % word) for where in ("http-request", "http-response")], requests)
        yield Case("ACL " + word, [(where, 'set-nice 0 @ { %s -m str "no such value" }' % word) for where in ("http-request", "http-response")], requests)
    for name, types in rows("cnv"):
        word = (name + arguments(name, types)).replace("$", "\\$")
        yield Case("converter " + word, [("http-request", 'set-var(txn.o) "req.fhdr(y),%s" @' % word)], for_value)
    for where, rule in line_breaks.lines():
        yield Case("%s %s" % (where, rule), [(where, rule.replace("FILES", folder) + " @")], for_text)
    for rule in ("del-header x -m beg", "del-header x -m sub", "del-header ^x[0-9]*$ -m reg", "capture req.hdr(y) len 10000", "del-map(FILES/learnt) %[req.hdr(y)]",
                 "del-acl(FILES/acl) %[req.hdr(y)]", "set-src req.hdr(y)", "set-dst req.hdr(y)", "set-var(txn.p) req.hdr(y)", "wait-for-body time 1ms",
                 "auth unless { http_auth(users) }", "normalize-uri fragment-encode", "normalize-uri fragment-strip", "normalize-uri path-merge-slashes",
                 "normalize-uri path-strip-dot", "normalize-uri path-strip-dotdot full", "normalize-uri percent-decode-unreserved",
                 "normalize-uri percent-to-uppercase", "normalize-uri query-sort-by-name"):
        yield Case("http-request " + rule, [("http-request", rule.replace("FILES", folder) + (" @" if " unless " not in rule else ""))], for_text)
    for rule in BACKTRACKING:
        yield Case("http-request " + rule, [("http-request", rule.replace("FILES", folder))], for_backtracking)
    for name in BACKENDS:
        yield Case("backend " + name.replace("\n", "; "), [], for_cookies)


BACKTRACKING = ["set-nice 0 @ { req.hdr(x) -m reg ^(a+)+$ }", "set-nice 0 @ { req.fhdr(x) -m reg ^(a|aa)+$ ^(a*)*$ }",
                "replace-value x ^(a+)+$ q @", "replace-header x ^(a+)+$ q @", "del-header ^(x+)+$ -m reg @", "replace-path ^/(a+)+$ /q @",
                "set-var(txn.o) \"req.fhdr(x),regsub('(a+)+\\$',b,g)\" @", "set-var(txn.o) req.fhdr(x),map_reg(FILES/map_backtracking,no) @"]

BACKENDS = ["cookie S insert indirect", "cookie S insert", "cookie S prefix", "cookie S rewrite", "cookie S", "cookie S insert preserve",
            "cookie S insert indirect maxidle 1h maxlife 1h", "cookie S insert indirect dynamic\n\tdynamic-cookie-key key", "cookie S prefix nocache",
            "balance uri", "balance uri depth 1000 len 4000 whole", "balance url_param a", "balance url_param a check_post", "balance hdr(x)",
            "balance hdr(host) use_domain_only", "balance rdp-cookie(a)", "option forwardfor if-none", "compression algo gzip", "option httpclose"]


def config(all_cases, front_at, bad):
    """The configuration, and which line is whose. bad: (case, number of the line) that it does
    without."""
    out, owner = [], {}

    def line(text, who=None):
        out.append(text)
        if who is not None:
            owner[len(out)] = who

    for text in ("global", "\tmaxconn 100", "\tstats socket %s/stats.sock level admin" % folder, "\texpose-experimental-directives",
                 "userlist users", "\tuser u insecure-password p", "defaults", "\tmode http", "\ttimeout client 1m", "\ttimeout connect 1m",
                 "\ttimeout server 1m", "\ttimeout tarpit 1ms", "\toption http-buffer-request", "frontend fe", "\tbind %s" % front_at,
                 "\tcapture request header y len 300", "\tcapture response header x len 300",
                 "\thttp-request set-var(txn.case) req.hdr(case)", "\thttp-request set-var(txn.raw) req.fhdr(y)",
                 "\thttp-request set-var(txn.t) req.fhdr(y),url_dec"):
        line(text)
    for n, case in enumerate(all_cases):
        for k, (where, rule) in enumerate(case.lines):
            if (n, k) not in bad:
                rule = rule.replace("unless {", "if { var(txn.case) -m str c%d } !{" % n)
                line("\t%s %s" % (where, rule.replace("@", "if { var(txn.case) -m str c%d }" % n)), (n, k))
    for n, case in enumerate(all_cases):
        if case.what.startswith("backend "):
            line("\tuse_backend b%d if { var(txn.case) -m str c%d }" % (n, n))
    line("\tdefault_backend be")
    for n, case in enumerate(all_cases):
        if case.what.startswith("backend "):
            line("backend b%d" % n)
            for text in case.what[8:].split("; "):
                line("\t" + text)
            many = "dynamic" in case.what
            line("\tserver s %s%s" % (origin_at, "" if many else " cookie s"))
            for k in range(1000 if many else 0):
                line("\tserver d%d 127.1.%d.%d:1 weight 0" % (k, k // 250, k % 250 + 1))
    line("backend be")
    line("\tserver s %s" % origin_at)
    line("backend tb")
    line("\tstick-table type string len 16384 size 100 store gpt(2),gpc(2),gpc_rate(2,10s),server_id,bytes_in_cnt,bytes_out_cnt,"
         "bytes_in_rate(10s),bytes_out_rate(10s),conn_cnt,conn_cur,conn_rate(10s),sess_cnt,sess_rate(10s),http_req_cnt,http_req_rate(10s),"
         "http_err_cnt,http_err_rate(10s),http_fail_cnt,http_fail_rate(10s),glitch_cnt,glitch_rate(10s)")
    with open(folder + "/cfg", "w", encoding="latin-1") as f:
        f.write("\n".join(out) + "\n")
    return owner


def prepare():
    """Tries what can stand where; a case of which no line is valid fails."""
    all_cases, bad, failed = list(cases()), set(), 0
    for kind in ("", "_int", "_ip"):  # where the list is walked a value is compared with each: fewer
        for match in "str beg sub dir dom end reg int ip regm".split():
            value = {"": r"\0\0", "_int": "1", "_ip": "192.0.2.1"}[kind]
            with open("%s/map_%s%s" % (folder, match, kind), "w") as f:
                f.write("".join("%s %s\n" % ({"ip": "192.0.2.%d" % n, "int": str(n), "reg": "a{%d}b" % (n + 1)}.get(match[:3], "a" * (n + 1)), value)
                                for n in range(10 if match in ("sub", "dir", "dom", "reg", "regm") else 50)))
    with open(folder + "/map_backtracking", "w") as f:
        f.write("".join("^(a+)+%s$ v\n" % ("b" * n) for n in range(3)))
    for name in "map", "learnt", "acl":
        open("%s/%s" % (folder, name), "w").close()
    for _ in range(5):  # some mistakes are seen only when there are no others
        owner = config(all_cases, front, bad)
        said = subprocess.run([program, "-c", "--format", "json", "-f", folder + "/cfg"], capture_output=True, text=True)
        wrong = [one for one in json.loads(said.stdout) if one["severity"] == "error"]
        bad |= {owner[one["line"]] for one in wrong if one["line"] in owner}
        for one in wrong:
            if one["line"] not in owner:
                print("FAILED  the configuration: %s" % one)
                failed += 1
        if not wrong:
            break
    for n, case in enumerate(all_cases):
        if case.lines and all((n, k) in bad for k in range(len(case.lines))):
            if case.what.split()[1].split("(")[0] in ELSEWHERE:
                continue
            print("FAILED  %s: in no rule; ARGUMENTS of budget.py may need a row" % case.what)
            failed += 1
    return all_cases, bad, failed


# ---- measuring ----


class Heap:
    """What heap.c says: bytes from malloc now, and the most since `begin`."""

    def __init__(self, path):
        with open(path, "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 16)

    def begin(self):
        now = struct.unpack_from("q", self.map, 0)[0]
        struct.pack_into("q", self.map, 8, now)
        self.start = now

    def peak(self):
        return struct.unpack_from("q", self.map, 8)[0] - self.start


def answer(sock):
    """Reads one final answer; whether the connection lives on."""
    reader = Reader(sock)
    while (head := reader.head()) is not None and head.startswith(b"HTTP/1.1 1"):
        pass
    if head is None or reader.body(head) is None:
        return False
    return bool(re.search(rb"(?i)\r\ncontent-length: *\d", head)) and not re.search(rb"(?i)\r\nconnection: *close", head)


def reply_to(r):
    x = re.search(rb"(?i)\r\nx: *([^\r]*)", r.head)
    cookie = re.search(rb"(?i)\r\ncookie: *([^\r]*)", r.head)
    return (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\nX-Old: a\r\nX-List: a, b\r\nX: %s\r\nSet-Cookie: %s\r\n\r\nok" %
            (x[1][:13000] if x else b"", cookie[1][:13000] if cookie else b""))


class Program:
    def __init__(self):
        heap = folder + "/heap"
        with open(heap, "wb") as f:
            f.write(bytes(16))
        environment = dict(os.environ, LD_PRELOAD=preload, PENSTOCK_HEAP=heap) if preload else None
        self.log = open(folder + "/log", "wb")
        self.child = subprocess.Popen([program, "-db", "-f", folder + "/cfg"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        self.heap = Heap(heap) if preload else None
        self.sock = None
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.child.poll() is None:
            try:
                self.connect()
                return
            except OSError:
                time.sleep(0.02)
        sys.exit("FAILED  the program does not start: " + open(folder + "/log", errors="replace").read()[-2000:])

    def connect(self):
        host, port = front.rsplit(":", 1)
        self.sock = socket.create_connection((host, int(port)), PATIENCE)

    def cpu(self):
        with open("/proc/%d/schedstat" % self.child.pid) as f:
            return int(f.read().split()[0])

    def cost(self, data):
        """Nanoseconds and bytes of one request."""
        if not self.sock:
            self.connect()
        if self.heap:
            self.heap.begin()
        before = self.cpu()
        try:
            self.sock.sendall(data)
            keeps = answer(self.sock)
        except OSError:
            keeps = False
        if self.child.poll() is not None:
            sys.exit("FAILED  the program has ended")
        spent, peak = self.cpu() - before, self.heap.peak() if self.heap else 0
        if not keeps:
            self.sock.close()
            self.sock = None
        return spent, peak


def slowness():
    """How much slower this machine is now than the one on which 2 ms were set: by the least time of
    a fixed piece of work; 1 to 3."""
    work = bytes((i * i >> 3) & 255 for i in range(65536))
    least = 1 << 62
    for _ in range(40):
        begin = time.thread_time_ns()
        zlib.compress(work, 6)
        least = min(least, time.thread_time_ns() - begin)
    return min(3.0, max(1.0, 1.3 * least / WORK_NS))


def measure(data, proxy, base):
    """The least of some tries above the base; stops when it is within the budget."""
    best_time = best_peak = 1 << 62
    for _ in range(TRIES):
        spent, peak = proxy.cost(data)
        best_time, best_peak = min(best_time, spent - base[0]), min(best_peak, peak - base[1])
        if best_time <= limit_ns and best_peak <= MEMORY:
            break
    return best_time, best_peak


def cost_of_plain(plain, proxy):
    """What a request costs that no rule looks at, now: where others empty the caches it is dearer,
    and so is what rules look at."""
    measure(plain, proxy, (0, 0))
    return tuple(map(min, zip(*(proxy.cost(plain) for _ in range(3)))))


def main():
    global limit_ns
    limit_ns = TIME_NS * factor * slowness()
    all_cases, bad, failed = prepare()
    serve(origin_at, reply_to)
    proxy = Program()
    base, sent, worst = {}, 0, []
    for n, case in enumerate(all_cases):
        if case.lines and all((n, k) in bad for k in range(len(case.lines))):
            continue
        own = (0, 0)
        if case.what.startswith("backend "):  # what any request to it costs: the choice among its servers
            own = tuple(map(min, zip(*(proxy.cost(request(b"c%d" % n)) for _ in range(3)))))
        for k, ((name, data), (_, plain)) in enumerate(zip(case.send(b"c%d" % n), case.send(b"none"))):
            if (k + n) % stride:
                continue
            if plain not in base:
                base[plain] = cost_of_plain(plain, proxy)
                if base[plain][0] > limit_ns or base[plain][1] > MEMORY:
                    print("FAILED  no rule at all: %s: %d us, %d bytes" % (name, base[plain][0] // 1000, base[plain][1]))
                    failed += 1
            spent, peak = measure(data, proxy, tuple(map(sum, zip(base[plain], own))))
            for _ in range(4):  # has the machine become slower, or are others busy?
                if spent <= limit_ns:
                    break
                limit_ns = TIME_NS * factor * slowness()
                base[plain] = cost_of_plain(plain, proxy)
                spent, peak = measure(data, proxy, tuple(map(sum, zip(base[plain], own))))
            worst.append((spent, peak, case.what, name))
            sent += 1
            if spent > limit_ns or peak > MEMORY:
                print("FAILED  %s: %s: %d us, %d bytes" % (case.what, name, spent // 1000, peak))
                failed += 1
    proxy.sock and proxy.sock.close()
    proxy.child.terminate()
    ended = proxy.child.wait()
    print("%d cases, %d requests; the dearest:" % (len(all_cases), sent))
    for spent, peak, what, name in sorted(worst, reverse=True)[:5] + sorted(worst, key=lambda w: -w[1])[:3]:
        print("  %5d us %8d bytes  %s: %s" % (spent // 1000, peak, what, name))
    if ended:
        print("FAILED  the program ended with %d" % ended)
    sys.exit(failed > 0 or ended != 0)


main()
