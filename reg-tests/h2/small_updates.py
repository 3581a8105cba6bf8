# SPDX-License-Identifier: BSD-2-Clause
"""What small_updates.sh describes."""

from frames import DATA, PING, Client, frame, request, window
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
