# SPDX-License-Identifier: BSD-2-Clause
"""Two requests over one connection, each by its own rules: run by switch_mode.sh."""

from frames import DATA, END_STREAM, Client, request
from service import Service, check, finish

c = Client(Service().args.front)
for path, said in ("/own1", b"2.0 /own1 first=1\n"), ("/own2", b"2.0 /own2 first=0\n"):
    stream = c.open(request(path))
    c.wait(lambda f: f.stream == stream and f.kind == DATA and f.flags & END_STREAM)
    check(f"{path}: {c.body(stream)}", c.body(stream) == said)
c.close()
finish()
