#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client that opens the windows of stream and connection again for each 4 kB that it has read, as that
# of Go does, is a sensible one, whatever it downloads and in how many streams; so is one that says
# PING and opens the connection's window for each message of some bytes, as that of gRPC does.
. "${0%/*}/../lib.sh"

python_with h2 || { say "python3-h2 is not installed"; exit 77; }
config <<END
$(http_defaults)
frontend fe
	bind $front proto h2
	default_backend be
backend be
	http-reuse always
	server s1 $back proto h2
END
start_penstock
driver - <<END || failures=1
import sys
sys.path.insert(0, "${0%/*}")
from frames import *
from h2_server import H2Server, body_of
from service import Service, address, check, finish

svc = Service()
server = H2Server(address(svc.args.back)[1])
c = Client(svc.args.front)
# 10 MB in one stream, then 10 MB in a hundred, ten at once
for streams, size in (1, 10000000), (10, 100000):
    for _ in range(1 if streams == 1 else 10):
        asked = [c.open(request(f"/n/{size}")) for _ in range(streams)]
        got, begun, owed = 0, len(c.seen), dict.fromkeys([0, *asked], 0)
        while got < streams * size and not c.over:
            c.receive()
            for f in c.seen[begun:]:
                if f.kind == DATA and f.payload:
                    got += len(f.payload)
                    owed[0] += len(f.payload)
                    owed[f.stream] += len(f.payload)
            begun = len(c.seen)
            for stream in owed:
                c.send(window(stream, 4096) * (owed[stream] // 4096))
                owed[stream] %= 4096
        check(f"{streams} of {size} bytes", all(c.body(s) == body_of(size) for s in asked))
        c.seen.clear()
answered = 0
for _ in range(60):
    asked, begun = [c.open(request("/n/12")) for _ in range(20)], len(c.seen)
    while not all(c.body(s) for s in asked) and c.receive():
        for f in c.seen[begun:]:
            if f.kind == DATA and f.payload:
                c.send(frame(PING, 0, 0, b"bdp-ping") + window(0, len(f.payload)))
        begun = len(c.seen)
    answered += sum(c.ends(s) == (200, body_of(12)) for s in asked)
    c.seen.clear()
check(f"{answered} messages, each with PING and window", answered == 1200)
check("no glitch: " + svc.info()["H2FrontendGlitches"], int(svc.info()["H2FrontendGlitches"]) == 0)
finish()
END
finish
