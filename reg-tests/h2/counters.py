# SPDX-License-Identifier: BSD-2-Clause
"""The test of counters.sh."""

import re
import threading

from frames import (CANCEL, DATA, END_STREAM, GOAWAY, INITIAL_WINDOW_SIZE, PROTOCOL_ERROR, Client,
                    frame, request, rst, settings, window)
from origin import Origin
from service import Service, check, finish, until

service = Service()
hold = threading.Event()
origin = Origin(service.args.back, hold)


def counted(proxy, side):
    row = service.stat(proxy, side)
    return {name[3:]: int(row[name] or 0) for name in row if name.startswith("h2_")}


def shows(sentence, proxy, side, **wanted):
    """The columns that are named, once they are so."""
    def now():
        got = counted(proxy, side)
        return all(got[name] == value for name, value in wanted.items())
    if not until(f"{sentence}: {proxy} {side} {wanted}", now):
        print(counted(proxy, side))


hold.set()
c = Client(service.args.front)
check("a request", c.ends(c.open()) == (200, b"hello"))
post = c.open(request(method="POST", extra=[("content-length", "6")]), False,
              frame(DATA, 0, 3, b"abc") + frame(DATA, END_STREAM, 3, b"def"))
check("a body in two frames", c.ends(post) == (200, b"hello"))
bad = c.open([(":method", "GET")])
check("a malformed request", c.ends(bad) == ("reset", PROTOCOL_ERROR))
shows("frames of a client", "fe", "FRONTEND", headers_rcvd=3, data_rcvd=2, settings_rcvd=2,
      detected_strm_protocol_errors=1, detected_conn_protocol_errors=0, rst_stream_resp=1,
      goaway_rcvd=0, goaway_resp=0, open_connections=1, backend_open_streams=0, total_connections=1,
      backend_total_streams=2, refused_streams=0, glitches=1)
hold.clear()
left = c.open()
until("a stream waits", lambda: "/" in origin.arrived[2:])
shows("a stream that is open", "fe", "FRONTEND", backend_open_streams=1, backend_total_streams=3)
SESSIONS = (r"fe=fe .* s0=\[fd=\d+,h2=7\] s1=\[fd=\d+,h2=5\] ",
            r"fe=inner .* s0=\[fd=\d+,h2=5\] s1=\[fd=\d+\] ")
said = service.ask("show sess")
check("show sess tells the streams of both sides", all(re.search(line, said) for line in SESSIONS))
said = service.ask("show sess all")
check("show sess all tells windows", re.search(
    r"client=h2 fd=\d+ flags=\S+\n      stream=7 send_window=65535 recv_window=65535\n"
    r"      connection: send_window=\d+ recv_window=\d+ streams=1 opened=3 refused=0 reset=1 "
    r"glitches=1\n", said) and re.search(r"server=h1 fd=\d+", said))
said = service.ask("show fd")
check("show fd tells protocols", re.search(r"kind=client .* fe=fe proto=h2 streams=1 glitches=1 ", said)
      and re.search(r"kind=server .* fe=inner proto=h1 be=origin ", said))
c.send(rst(left, CANCEL))
shows("one that was reset", "fe", "FRONTEND", backend_open_streams=0, rst_stream_rcvd=1, glitches=2)
shows("and its server's is reset, too", "be", "BACKEND", rst_stream_resp=1, backend_open_streams=0,
      backend_total_streams=3, headers_rcvd=2, data_rcvd=2)
many = Client(service.args.front)
opened = [many.open() for _ in range(101)]
check("one stream too many", many.ends(opened[-1]) is not None)
shows("it is refused", "fe", "FRONTEND", refused_streams=1, backend_open_streams=100,
      open_connections=2)
many.close()
hold.set()
shows("streams of a connection that is gone", "fe", "FRONTEND", backend_open_streams=0,
      open_connections=1)
wrong = Client(service.args.front)
wrong.send(frame(DATA, 0, 1, b"x"))
check("DATA on an idle stream", wrong.goaway() == PROTOCOL_ERROR)
c.send(frame(GOAWAY, 0, 0, bytes(8)))
c.goaway()
shows("connections that ended", "fe", "FRONTEND", detected_conn_protocol_errors=1, goaway_rcvd=1,
      goaway_resp=2, open_connections=0, total_connections=3, backend_open_streams=0)
before = counted("fe", "FRONTEND")
names = [name for name in service.info() if name.startswith("H2")]
check(f"show info has {len(names)} lines", len(names) == 14)


def told(name, wanted):
    """A line of show info; other workers write theirs each second. wanted: a number, or what tells
    it; what clients left behind may still be counted."""
    def now():
        return int(service.info()[name]) == (wanted() if callable(wanted) else wanted)
    if not until(name, now):
        print(service.info()[name])


def fronts(column):
    return lambda: counted("fe", "FRONTEND")[column] + counted("inner", "FRONTEND")[column]


told("H2FrontendCumConns", fronts("total_connections"))
told("H2BackendCumConns", counted("be", "BACKEND")["total_connections"])
told("H2FrontendCumStreams", fronts("backend_total_streams"))
told("H2FrontendRefusedStreams", 1)
told("H2FrontendCurrStreams", 0)
told("H2FrontendGlitches", fronts("glitches"))
page = Client(service.args.front, settings((INITIAL_WINDOW_SIZE, 1 << 24)) + window(0, 1 << 24))
got = page.ends(page.open(request("/metrics")))[1].decode()
for line in (r'penstock_frontend_h2_total_connections\{proxy="fe"\} 4',
             r'penstock_frontend_h2_open_connections\{proxy="fe"\} 1',
             r'penstock_frontend_h2_rst_stream_rcvd\{proxy="fe"\} 1',
             r'penstock_backend_h2_rst_stream_resp\{proxy="be"\} \d+',
             r'penstock_h2_frontend_connections \d+',
             r'penstock_h2_frontend_refused_streams_total 1'):
    check("metrics: " + line, re.search("^" + line + "$", got, re.M))
got = page.ends(page.open(request("/stats")))[1].decode()
check("the page tells of HTTP/2", "HTTP/2 streams" in got and "Streams refused" in got)
page.close()
shows("the page has left", "fe", "FRONTEND", open_connections=0)
before = counted("fe", "FRONTEND")
check("reload", service.parent("reload").startswith("Success=1"))
until("the old workers leave", lambda: not service.old_workers())
check("a reload keeps what was counted", counted("fe", "FRONTEND") == before)
service.ask("clear counters all")
until("clear counters all", lambda: not any(counted("fe", "FRONTEND").values()))
finish()
