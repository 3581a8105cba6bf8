# SPDX-License-Identifier: BSD-2-Clause
"""What server_commit.sh describes."""

import socket
import sys

from service import check, finish, until
from visits import connect

front, stats, certs = sys.argv[1:]


def command(text):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(stats)
    s.sendall(text.encode())
    said = b""
    while True:
        data = s.recv(65536)
        if not data:
            return said.decode()
        said += data


def change(kind, name, file):
    said = command(f"set ssl {kind} {certs}/{name} <<\n{open(certs + '/' + file).read()}\n")
    said += command(f"commit ssl {kind} {certs}/{name}\n")
    check(f"{name} is {file} now", "Success!" in said, said)


def visit():
    """Worker, status and what the server said, over a connection of its own to whichever worker
    takes it."""
    conn = connect(front)
    try:
        conn.request("GET", "/")
        answer = conn.getresponse()
        words = answer.read().decode().split()
        return answer.getheader("worker"), answer.status, dict(w.split("=", 1) for w in words if "=" in w)
    finally:
        conn.close()


def visits(least=2):
    """Until both workers have answered some times: worker -> what they said."""
    seen = {}
    for _ in range(4000):
        worker, status, said = visit()
        seen.setdefault(worker, []).append((status, said))
        if len(seen) == 2 and min(map(len, seen.values())) >= least:
            break
    check("both workers have answered", len(seen) == 2, seen.keys())
    return [answer for answers in seen.values() for answer in answers], seen


def idle():
    """Idle connections of both workers."""
    fields = [line.split(",") for line in command("show stat\n").replace("# ", "").splitlines() if line]
    return sum(int(f[fields[0].index("srv_icur")]) for f in fields[1:] if f[:2] == ["shared", "s"])


def accepted(what, who, former):
    answers, seen = visits()
    check(f"{what}: answers", all(status == 200 for status, said in answers), answers)
    check(f"{what}: the server sees {who}", {said.get("who") for status, said in answers} == {who}, answers)
    ports = {said.get("port") for status, said in answers}
    check(f"{what}: not over a connection from before", not ports & former, (ports, former))
    check(f"{what}: no session from before", all(a[0][1].get("resumed") == "0" for a in seen.values()), seen)
    check(f"{what}: connections are used again", len(ports) < len(answers), answers)
    return former | ports


def refused(what):
    answers, seen = visits(1)
    check(f"{what}: no answers", all(status == 503 for status, said in answers), answers)


used = accepted("at first", "before", set())
until("connections are idle", lambda: idle() > 0)
change("cert", "ours.pem", "after.pem")
until("none is idle", lambda: idle() == 0)
used = accepted("RSA in the place of ECDSA", "after", used)
change("cert", "ours.pem", "third.pem")
used = accepted("and ECDSA again", "third", used)
change("ca-file", "trusted.pem", "other.pem")
refused("another authority")
change("ca-file", "trusted.pem", "ca.pem")
used = accepted("the authority again", "third", used)
change("crl-file", "list.pem", "full")
until("none is idle", lambda: idle() == 0)
refused("the server is revoked")
change("crl-file", "list.pem", "empty")
used = accepted("and not any more", "third", used)
finish()
