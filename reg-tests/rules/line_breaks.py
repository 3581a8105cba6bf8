# SPDX-License-Identifier: BSD-2-Clause
"""
Every rule that makes text (sink) x how the text came to be (way) x what a client writes (payload):
no line of HTTP that leaves is anything but one clean line, towards the server and towards the
client, and each request leaves one line in the log. Run by line_breaks.sh, which has made the
configuration by `config`.

  line_breaks.py config ORIGIN FRONT FILES    prints the configuration
  line_breaks.py names                        prints the actions that are sinks or make no text, one a line
  line_breaks.py run ORIGIN FRONT LOG         sends everything; fails when a line was broken
"""

import base64
import json
import re
import sys
import urllib.parse

from http1 import Reader
from origin import serve_each
from service import connect

PATIENCE = 120
EVIL = b"GET /evil HTTP/1.1\r\nHost: a\r\n\r\n"

PAYLOADS = [
    b"a\r\nEvil: 1", b"a\r\n\r\n" + EVIL, b"\nEvil: 1", b"a\rEvil: 1", b"a\0b", b"a\x7fb\x01\x1b[2J", b"\r\n", b"\n", b" \t\r\n ",
    # text that a careless program resolves later
    rb"a\x0d\x0aEvil: 1", rb"\r\nEvil: 1", rb"0d\x0d\x0aEvil: 1", rb"d\x0aEvil: 1", rb"\\x0d\\x0aEvil: 1",
    rb"a\1\x0d\0", b"\\", b"%0d%0aEvil: 1", b"%5cx0d%5cx0aEvil: 1", rb"a\u000d\u000aEvil: 1", b'"a\\"\r\nEvil: 1"', b"", b"plain",
]


def quote(data):
    return urllib.parse.quote_from_bytes(data, safe="").encode()


def as_json(data):
    return json.dumps({"a": data.decode("latin-1")}).encode()


def visible(data):
    """As it is, where a parser lets it through."""
    return None if re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", data) else data


# name: (expression, how the payload is written into the field "y")
WAYS = {
    "plain": ("req.hdr(y)", visible),
    "url_dec": ("req.hdr(y),url_dec", quote),
    "b64": ("req.hdr(y),b64dec", base64.b64encode),
    "ub64": ("req.hdr(y),ub64dec", lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")),
    "json": ("req.hdr(y),json_query('$.a')", as_json),
    "twice": ("req.hdr(y),url_dec,url_dec", lambda data: quote(quote(data))),
    "regsub": ("req.hdr(y),url_dec,regsub('^(.*)$','\\1','g')", quote),
    "resolved": ("req.hdr(y),regsub('d','d','g'),url_dec", quote),
    "concat": ("str(a),concat(,txn.raw,)", quote),
    "upper": ("req.hdr(y),url_dec,lower,upper", quote),
    "mapped": ("req.hdr(y),b64dec,map_reg(FILES/map)", base64.b64encode),
}

# What a rule writes around the value, as one word of the configuration.
TEXTS = ['"%[var(txn.t)]"', '"a%[var(txn.t)]b"', '"%[var(txn.t)]%[var(txn.t)]"']
BY = ['"\\\\1, %[var(txn.t)]"', '"\\\\%[var(txn.t)]"', '"\\\\x%[var(txn.t)]"', '"\\\\x0%[var(txn.t)]"', '"%[var(txn.t)]\\\\0"',
      '"\\\\x0d\\\\x0aEvil: 1 %[var(txn.t)]"', '"a\\\\x0d\\\\x0aEvil: 1\\\\0"']

# list, rule; @ is a text, & a replacement, # a value matched by one.
SINKS = [
    ("http-request", "set-header x-made @"),
    ("http-request", "add-header x-made @"),
    ("http-request", "replace-header x-old ^(.*)$ &"),
    ("http-request", "replace-header y ^(.*)$ &"),
    ("http-request", "replace-value x-list ([a-z]) &"),
    ("http-request", "set-method @"),
    ("http-request", "set-path /@"),
    ("http-request", "set-pathq /@"),
    ("http-request", "set-query @"),
    ("http-request", "set-uri @"),
    ("http-request", "set-uri http://a/@"),
    ("http-request", "replace-path ^(.*)$ &"),
    ("http-request", "replace-pathq ^(.*)$ &"),
    ("http-request", "replace-uri ^(.*)$ &"),
    ("http-request", "early-hint link @"),
    ("http-request", "return status 200 hdr x-made @"),
    ("http-request", "return status 200 content-type text/plain lf-string @"),
    ("http-request", "deny status 403 hdr x-made @"),
    ("http-request", "tarpit deny_status 403 hdr x-made @"),
    ("http-request", "redirect location @"),
    ("http-request", "redirect prefix @"),
    ("http-request", "redirect scheme @"),
    ("http-request", "capture var(txn.t) len 200"),
    ("http-request", "set-map(FILES/learnt) @ @"),
    ("http-request", "add-acl(FILES/acl) @"),
    ("http-request", "set-var-fmt(txn.u) @"),
    ("http-response", "set-header x-made @"),
    ("http-response", "add-header x-made @"),
    ("http-response", "replace-header x-old ^(.*)$ &"),
    ("http-response", "replace-header x-echo ^(.*)$ &"),
    ("http-response", "replace-value x-list ([a-z]) &"),
    ("http-response", 'set-status 299 reason "a\\r\\nEvil: 1"'),
    ("http-response", "return status 200 hdr x-made @"),
    ("http-response", "return status 200 content-type text/plain lf-string @"),
    ("http-response", "deny status 503 hdr x-made @"),
    ("http-response", "redirect location @"),
    ("http-response", "capture var(txn.t) id 0"),
    ("http-after-response", "set-header x-made @"),
    ("http-after-response", "add-header x-made @"),
    ("http-after-response", "replace-header x-old ^(.*)$ &"),
    ("http-after-response", "replace-value x-list ([a-z]) &"),
    ("http-after-response", 'set-header x-made "a\\r\\nEvil: 1"'),
    ("http-request", 'set-header x-made "a\\r\\nEvil: 1"'),
]

# Actions that make no text of a message, or whose text is one that another row makes.
TEXTLESS = """accept allow auth cache-store cache-use capture close del-acl del-header del-map disable-l7-retry
    do-log do-resolve expect-netscaler-cip expect-proxy normalize-uri pause reject set-retries set-bandwidth-limit set-bc-mark set-bc-tos
    set-dst set-dst-port set-fc-mark set-fc-tos set-log-level set-mark set-nice set-priority-class
    sc-add-gpc sc-inc-gpc sc-inc-gpc0 sc-inc-gpc1 sc-set-gpt sc-set-gpt0 track-sc0 track-sc1 track-sc2
    track-sc3 track-sc4 track-sc5 track-sc6 track-sc7 track-sc8 track-sc9 track-sc10 track-sc11
    set-priority-offset set-src set-src-port set-timeout set-tos set-var silent-drop strict-mode switch-mode
    unset-var use-service wait-for-body wait-for-handshake""".split()


def lines():
    """(list, rule) for each sink and each of its texts."""
    for where, rule in SINKS:
        marks = TEXTS if "@" in rule else BY if "&" in rule else [""]
        for text in marks:
            done = rule
            for mark in "@&":  # a prefix belongs to the word: /"..." is "/..."
                done = re.sub(r"(\S*)" + mark, lambda m: '"' + m[1] + text[1:], done)
            yield where, done


def config(origin, front, files):
    rules = ["http-request set-var(txn.raw) req.hdr(y),url_dec"]
    for name, (expression, _) in WAYS.items():
        rules.append('http-request set-var(txn.t) "%s" if { req.hdr(way) %s }' %
                     (expression.replace("\\", "\\\\").replace("$", "\\$"), name))
    for number, (where, rule) in enumerate(lines()):
        rules.append("%s %s if { var(txn.sink) -m str s%d }" % (where, rule, number))
        if where == "http-request" and "set-map" in rule:
            rules.append('http-request set-header x-learnt "%%[var(txn.t),map(FILES/learnt)]" '
                         'if { var(txn.sink) -m str s%d }' % number)
    return """
	maxconn 100
	log stdout len 65535 format raw local0
defaults
	mode http
	log global
	option httplog
	timeout client 1m
	timeout connect 1m
	timeout server 1m
	timeout tarpit 1ms
	unique-id-format "%%[req.hdr(y),url_dec]%%HU"
	log-format "LINE %%ID %%hr %%hs %%[var(txn.t)] %%[var(txn.u)] %%[capture.req.hdr(0)] %%{+Q}r END"
frontend fe
	bind %s
	unique-id-header x-unique
	capture request header y len 300
	capture response header x-made len 300
	http-request set-var(txn.sink) req.hdr(sink)
	%s
	default_backend be
backend be
	option forwardfor
	http-reuse always
	server s %s
""".replace("FILES", files) % (front, "\n\t".join(rules).replace("FILES", files), origin)


# ---- what leaves ----


TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
REQUEST = re.compile(TOKEN + rb" [^\x00-\x20\x7f]+ HTTP/1\.1$")
STATUS = re.compile(rb"HTTP/1\.1 [1-5]\d\d [^\x00-\x08\x0a-\x1f\x7f]*$")
FIELD = re.compile(b"(" + TOKEN + rb"): ?([^\x00-\x08\x0a-\x1f\x7f]*)$")

broken = []
now = ["start"]


def head_of(stream, first):
    """The lines of a head as (first line, {name: value}); None: the end. Notes whatever is no clean
    line."""
    head = stream.head()
    if head is None:
        if stream.held:
            broken.append((now[0], "cut", bytes(stream.held)))
        return None
    top, *fields = head.split(b"\r\n")
    found = {}
    for line in fields:
        m = FIELD.match(line)
        if not m or m[1].lower() == b"evil":
            broken.append((now[0], "field", line))
        else:
            found[m[1].lower()] = m[2]
    if not first.match(top) or b" /evil " in top:
        broken.append((now[0], "first line", top))
    return top, found


def serve(sock):
    stream = Reader(sock)
    while got := head_of(stream, REQUEST):
        top, fields = got
        if stream.held or b"id" not in fields:
            broken.append((now[0], "a request that nobody sent", top + b" | " + stream.held))
            stream.held.clear()
        sock.sendall(b"HTTP/1.1 200 OK\r\nId: %s\r\nX-Old: old\r\nX-List: a, b, c\r\nX-Echo: %s\r\n"
                     b"Content-Length: 2\r\n\r\nok" % (fields.get(b"id", b"-"), fields.get(b"y", b"")))


def answer(stream):
    """Reads one final response; False: the connection does not live on."""
    while got := head_of(stream, STATUS):
        top, fields = got
        if top.split()[1][:1] == b"1":
            continue
        if stream.exactly(int(fields.get(b"content-length", b"0"))) is None:
            broken.append((now[0], "body", bytes(stream.held)))
            return False
        if stream.held:
            broken.append((now[0], "behind the answer", bytes(stream.held)))
        return b"close" not in fields.get(b"connection", b"")
    return False


def run(to, front, log):
    serve_each(to, serve)
    stream, sent = None, 0
    for sink, (where, rule) in enumerate(lines()):
        for way, (_, write) in WAYS.items():
            for payload in PAYLOADS:
                value = write(payload)
                if value is None:
                    continue
                now[0] = "%s %s | %s | %r" % (where, rule, way, payload)
                if not stream:
                    stream = Reader(connect(front))
                stream.s.sendall(b"GET /x?q HTTP/1.1\r\nHost: a\r\nId: %d\r\nSink: s%d\r\nWay: %s\r\n"
                                    b"X-Old: old\r\nX-List: a, b,c\r\nY: %s\r\n\r\n" % (sent, sink, way.encode(), value))
                sent += 1
                if not answer(stream):
                    stream.s.close()
                    stream = None
    if stream:
        stream.s.close()
    print("%d requests, %d rules" % (sent, len(list(lines()))))
    for case, what, data in broken[:20]:
        print("FAILED  %s: %s: %r" % (case, what, data[:200]))
    return len(broken), sent


def main():
    if sys.argv[1] == "config":
        print(config(*sys.argv[2:5]))
    elif sys.argv[1] == "names":
        print("\n".join(sorted({rule.split()[0].split("(")[0] for _, rule in SINKS} | set(TEXTLESS))))
    else:
        bad, sent = run(*sys.argv[2:5])
        print("SENT", sent)
        sys.exit(bad > 0)


if __name__ == "__main__":
    main()
