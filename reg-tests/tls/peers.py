# SPDX-License-Identifier: BSD-2-Clause
"""What peers.sh describes."""

import hashlib
import subprocess
import sys

from service import check, finish, until
from visits import ask, connect, get

front, tool, stats, big = sys.argv[1:5]
with open(big, "rb") as f:
    big = hashlib.sha256(f.read()).hexdigest()
RESUMED, FRESH = {"r", "1"}, {".", "0"}


def states():
    lines = subprocess.run([tool, "-s", stats, "ask", "show stat -1 4 -1"], capture_output=True,
                           text=True).stdout.lstrip("# ").split("\n")
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","))) for line in lines[1:] if line]
    return {row["pxname"]: row["status"] for row in rows}


def answers(peer, kind, conn=None):
    """What the server says of the connection; the port of the client's."""
    conn = conn or connect(front)
    status, said, body = ask(conn, f"{peer}-{kind}")
    port = conn.sock.getsockname()[1]
    if status != 200:
        check(f"{peer} {kind}: an answer", False, (status, body))
    return said, port


def large(to):
    conn = connect(front)
    conn.request("GET", "/big", headers={"to": to, "Host": "www.example.com"})
    return hashlib.sha256(conn.getresponse().read()).hexdigest() == big


def judge(peer):
    print("##", peer)
    for kind, versions in (("v12", ["TLSv1.2"]), ("v13", ["TLSv1.3"]), ("ids", ["TLSv1.2"]),
                           ("known", ["TLSv1.3"]), ("proxied", ["TLSv1.3"])):
        first, _ = answers(peer, kind)
        more = [answers(peer, kind)[0] for _ in range(4)]
        second, port = answers(peer, kind)
        check(f"{kind}: {first.get('version')}, by name, by ALPN", first.get("version") in versions and
              first.get("name") == "www.example.com" and first.get("alpn") == "http/1.1", first)
        # haproxy's cache of sessions loses one now and then.
        check(f"{kind}: the next connections resume", first.get("resumed") in FRESH and
              sum(m.get("resumed") in RESUMED for m in more) >= 2, (first, more))
        check(f"{kind}: not with no-ssl-reuse",
              all(answers(peer, kind + "-anew")[0].get("resumed") in FRESH for _ in range(2)))
        conn = connect(front)
        kept = [answers(peer, kind + "-kept", conn)[0] for _ in range(3)]
        check(f"{kind}: one connection for three requests", 
              len({(s.get("from"), s.get("connection")) for s in kept}) == 1, kept)
        check(f"{kind}: a large body", large(f"{peer}-{kind}"))
        if kind == "known":
            check("the server knows who we are", "CN=friend" in second.get("client", ""), second)
        if kind == "proxied":
            check("the server learns the client's address", second.get("from") == f"127.0.0.1:{port}", second)
    for kind in "v12", "v13", "ids", "known", "proxied":
        until(f"{kind}: checks succeed", lambda: states()[f"{peer}-{kind}-checked"] == "UP")
    for kind in "stranger", "misnamed":
        status, _, _ = get(front, f"{peer}-{kind}")
        check(f"{kind}: no answer", status == 503, status)
        until(f"{kind}: checks fail", lambda: states()[f"{peer}-{kind}"] == "DOWN")
    status, _, _ = get(front, f"{peer}-unknown")
    check("without a certificate the server turns us away", status != 200, status)


for peer in sys.argv[5:]:
    judge(peer)
finish()
