# SPDX-License-Identifier: BSD-2-Clause
"""first_word.py PROGRAM FOLDER: servers that speak first (or, the agents, at once) are asked each
150 ms: each is found to answer, which takes less than the 200 ms for which the kernel would hold
back the acknowledgement that gives the server its connection. Other checks hold it back, and their
servers never see a connection that was only tried."""
import socket
import subprocess
import sys
import time

from origin import serve_each

program, folder = sys.argv[1:3]
DEADLINE = 60
seen = {}


def listen(name, talk):
    seen[name] = 0

    def one(client):
        seen[name] += 1
        talk(client)
    return serve_each("127.0.0.1:0", one).getsockname()[1]


def smtp(client):
    client.sendall(b"220 hi\r\n")
    while client.recv(100):
        client.sendall(b"250 ok\r\n")


def says(data):
    def talk(client):
        client.sendall(data)
        client.recv(100)
    return talk


def pieces(*parts):
    """A kernel that gathers (RFC 896) sends the third when the second was acknowledged."""
    def talk(client):
        for part in parts:
            client.sendall(part)
            time.sleep(0.005)
        client.recv(100)
    return talk


MYSQL = b"\x06\0\0\0\x0a8.0\0x"
BACKENDS = {
    "smtp": ("option smtpchk", smtp, ""),
    "string": ("option tcp-check\n\ttcp-check expect string hello", says(b"hello\r\n"), ""),
    "later": ("option tcp-check\n\ttcp-check connect\n\ttcp-check set-var(check.x) int(1)\n"
              "\ttcp-check expect rstring ^hello", says(b"hello\r\n"), ""),
    "empty": ("option tcp-check\n\ttcp-check send-lf %[str()]\n\ttcp-check expect string hello",
              says(b"hello\r\n"), ""),
    "mysql": ("option mysql-check", says(MYSQL), ""),
    "parts": ("option tcp-check\n\ttcp-check expect string abcdef", pieces(*[b"%c" % c for c in b"abcdef"]), ""),
    "agent": ("", says(b"up\n"), "agent-check agent-inter 150ms agent-port %d"),
    "greeted": ("", lambda c: c.recv(10) and c.sendall(b"up\n"),
                "agent-check agent-inter 150ms agent-send hi\\n agent-port %d"),
    "plain": ("", says(b""), ""),
}


def config():
    lines = ["global", "\tstats socket %s/stats level admin" % folder, "defaults", "\tmode tcp",
             "\ttimeout connect 5s", "\ttimeout client 5s", "\ttimeout server 5s"]
    for name, (rules, talk, words) in BACKENDS.items():
        port = listen(name, talk)
        words = words % port if words else "check inter 150ms"
        lines += ["backend " + name, "\t" + rules, "\tserver s 127.0.0.1:%d %s" % (port, words)]
    with open(folder + "/cfg", "w") as f:
        f.write("\n".join(lines) + "\n")


def column(wanted):
    """Of each backend's server: the status of the last check (or of the agent's)."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(folder + "/stats")
        s.sendall(b"show stat -1 4 -1\n")
        text = b"".join(iter(lambda: s.recv(65536), b"")).decode()
    rows = [r.split(",") for r in text.splitlines() if r]
    names = rows[0]
    return {r[0]: r[names.index(wanted)] for r in rows[1:]}


def answered():
    checks, agents = column("check_status"), column("agent_status")
    wanted = {n: "L7OK" if n != "plain" else "L4OK" for n in BACKENDS}
    got = {n: (agents if "agent" in BACKENDS[n][2] else checks)[n].lstrip("* ") for n in BACKENDS}
    return {n for n in BACKENDS if got[n] == wanted[n]}


def main():
    config()
    process = subprocess.Popen([program, "-db", "-f", folder + "/cfg"])
    end, missing = time.monotonic() + DEADLINE, set(BACKENDS)
    while missing and time.monotonic() < end:
        time.sleep(0.03)
        try:
            missing -= answered()
        except OSError:
            continue
    process.terminate()
    process.wait()
    for name in missing:
        print("%s: never answered in time" % name)
    if seen["plain"]:
        print("the plain check was seen %d times" % seen["plain"])
    return bool(missing or seen["plain"])


sys.exit(main())
