# SPDX-License-Identifier: BSD-2-Clause
"""The clients and the collectors of profiles.sh."""
import os
import re

from encoded_lib import Collector
from service import Service, check, connect, finish, to_the_end

FRONTS = "plain", "steps", "tcp", "handshake"
service = Service(lambda p: [p.add_argument("--" + k) for k in FRONTS])
args = service.args
NAMES = "global mine none steps steps.profile tcp tcp.profile handshake handshake.profile".split()
collectors = {name: Collector(os.path.join(args.dir, name)) for name in NAMES}


def send(front, text):
    with connect(getattr(args, front)) as c:
        c.sendall(text)
        to_the_end(c)


def expect(what, name, *wanted):
    got = [collectors[name].line().decode().rstrip("\n") for _ in wanted]
    good = all(re.fullmatch(w, g) for w, g in zip(wanted, got))
    if not good:
        print("\n".join(got))
    check(what, good)


GET = b"GET %s HTTP/1.1\r\nHost: h\r\nX-A: a\r\nConnection: close\r\n\r\n"


def header(rest):
    return r"<134>1 \S+ - my-tag \d+ - " + rest


send("plain", GET % b"/log")
expect("a target without a profile has the frontend's line, at each do-log and at the end", "none",
       "plain tcp-req-conn .*", "plain tcp-req-sess .*", "plain tcp-req-cont .*",
       "plain http-req -1 GET /log HTTP/1.1", "other http-req", "plain http-res -1 GET /log HTTP/1.1",
       "plain http-after-res -1 GET /log HTTP/1.1", "plain txn_close 200 GET /log HTTP/1.1")
expect("one with a profile has the profile's, its tag and structured data", "mine",
       header("- conn tcp-req-conn 127.0.0.1"), header("- sess tcp-req-sess 127.0.0.1"),
       header("- cont tcp-req-cont 1"), header("- req http-req a /log"),
       r"<134>1 \S+ - \S+ \d+ - - other http-req", header("- res http-res b /log"),
       header(r'\[mine@1 s="200"\] {"step":"txn_close","status":200,"uri":"/log"}'))
expect("a global target has its own, and the frontend's where the profile says nothing", "global",
       "plain tcp-req-conn .*", "plain tcp-req-sess .*", "plain tcp-req-cont .*", "plain http-req .*",
       "other http-req", "plain http-res .*", "plain http-after-res .*", "closing 200 txn_close")
send("plain", GET % b"/no")
expect("a do-log whose condition does not hold writes nothing", "mine",
       header("- conn .*"), header("- sess .*"), header("- cont .*"), header("- res .*"), header(".* {.*}"))
send("plain", b"GET / HTTP/1.1\r\nHos")
expect("a connection without a request is an error for a profile", "mine", header("- conn .*"),
       header("- sess .*"),
       header('- {"step":"sess_error","request":"<BADREQ>"}'))
send("steps", GET % b"/")
expect("log-steps all: a line at each step", "steps", r"txn_accept -1 \+0", r"txn_request -1 \+0",
       r"txn_connect -1 \+0", r"txn_response 200 \+\d+", r"txn_close 200 \d+")
expect("a profile drops one of them", "steps.profile", "any txn_request", "any txn_connect", "any txn_response",
       '{"step":"txn_close","status":200,"uri":"/"}')
send("tcp", GET % b"/")
expect("log-steps in mode tcp, and do-log of tcp-response content", "tcp", r"txn_accept \+0", r"txn_connect \+0",
       r"tcp-res-cont \+\d+", r"txn_close \d+")
expect("the same with a profile", "tcp.profile", "other txn_accept", "other txn_connect", "other tcp-res-cont",
       "other txn_close")
send("handshake", b"no header\r\n")
expect("a handshake that fails is logged by error-log-format", "handshake", "failed sess_killed")
expect("or by the profile", "handshake.profile", "other sess_killed")
finish()
