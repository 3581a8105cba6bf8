# SPDX-License-Identifier: BSD-2-Clause
"""What server_reuse.sh describes."""

import sys

from service import check, finish
from visits import ask, connect, get

front = sys.argv[1]
names = ["a.example.com", "b.example.com", "c.example.com"]
ports = {}
for turn in range(4):
    for name in names:
        status, said, body = get(front, "always", host=name)
        check(f"{name}: asked for", status == 200 and said["sni"] == name, (status, body))
        ports.setdefault(name, set()).add(said["port"])
check("each name has one connection", all(len(p) == 1 for p in ports.values()), ports)
check("of its own", len(set.union(*ports.values())) == len(names), ports)

# One client that changes the name from request to request.
conn = connect(front)
for name in names + names:
    status, said, body = ask(conn, "always", host=name)
    check(f"{name}: the same connection again", said.get("sni") == name and said["port"] in ports[name], body)

seen = {}
for turn in range(3):
    for name in names:
        status, said, body = get(front, "never", host=name)
        check(f"{name}: resumed when it is known", said["resumed"] == ("1" if turn else "0"), body)
        seen.setdefault(said["port"], name)
check("never the same connection", len(seen) == 9, seen)

# Many more names than sessions are kept for: none gets another's.
for i in range(200):
    status, said, body = get(front, "never", host=f"n{i}.example.com")
    if said.get("resumed") != "0" or said.get("sni") != f"n{i}.example.com":
        check(f"n{i}: a handshake of its own", False, body)
status, said, body = get(front, "never", host="n199.example.com")
check("the last names are known", said["resumed"] == "1")
status, said, body = get(front, "never", host="n0.example.com")
check("the first ones were forgotten", said["resumed"] == "0")

for to in "v1", "v2":
    for name in names:
        conn = connect(front)
        status, said, body = ask(conn, to, host=name)
        own = "%s:%d" % conn.sock.getsockname()
        check(f"{to}: {name}, the client's address", said.get("proxy") == "1" and said.get("src") == own and
              said.get("sni") == name, (own, body))
        status, said, body = ask(conn, to, host=name)
        check(f"{to}: once more", said.get("src") == own and said.get("sni") == name, body)
finish()
