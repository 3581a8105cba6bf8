# SPDX-License-Identifier: BSD-2-Clause
"""Persistence by stick tables, case by case (persist.txt), and what comes of it.

persist.py record PROGRAM DIR [WORD]   prints what a program makes of the cases (those with WORD)
persist.py compare PROGRAM DIR [FILE]  what it makes of them is what FILE has (persist_answers.txt:
                                       the reference), but for persist_deviations.txt where no FILE
                                       is given

A case is a configuration and steps. In the configuration %s1 ... %s4 are servers that answer HTTP
or bytes, %b1 and %b2 servers that speak first, %dead is nobody, %front and %other are where the
program listens, %sock its stats socket; in steps %rdp_s1 is the RDP cookie of %s1. Steps:

> get [other] PATH [NAME: VALUE; ...]   which server answers, or the status
> tcp [other] TEXT                      the bytes that come back (escapes as in Python)
> ask COMMAND                           what the stats socket answers
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time

from origin import serve_each

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 60


def lines(name):
    with open(os.path.join(HERE, name)) as f:
        return f.read().split("\n")


# ---- servers


def answer_http(name, head):
    path = head.split(" ")[1]
    if "/cut" in path:
        return b""
    status = re.search(r"/status=(\d+)", path)
    cookie = re.search(r"set=([^&]*)", path)
    out = f"HTTP/1.1 {status.group(1) if status else 200} OK\r\n"
    if cookie:
        out += f"Set-Cookie: SID={cookie.group(1)}; path=/\r\nX-Id: {cookie.group(1)}\r\n"
    return (out + f"Connection: close\r\nContent-Length: {len(name)}\r\n\r\n{name}").encode()


def serve_one(conn, name):
    conn.settimeout(PATIENCE)
    if name.startswith("b"):
        conn.sendall(b"\x02" + name.encode())
    got = b""
    while True:
        more = conn.recv(65536)
        got += more
        if not more or (got[:4] in (b"GET ", b"POST") and b"\r\n\r\n" in got) or \
                (got[:4] not in (b"GET ", b"POST") and got.endswith(b"\n")):
            break
    if got[:4] in (b"GET ", b"POST"):
        conn.sendall(answer_http(name, got.decode("latin-1")))
    elif got:
        conn.sendall(name.encode() + b" " + got)


def serve(name):
    listener = serve_each("127.0.0.1:0", lambda s: serve_one(s, name))
    return listener.getsockname()[1]


def free_port():
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    return s  # kept: nobody else gets the port, and nobody listens


# ---- clients


def until_end(s):
    got = b""
    while True:
        try:
            more = s.recv(65536)
        except OSError:
            return got
        if not more:
            return got
        got += more


def get(port, rest):
    path, _, fields = rest.partition(" ")
    head = f"GET {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
    for field in filter(None, (f.strip() for f in fields.split(";;"))):
        head += field + "\r\n"
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as s:
        s.sendall((head + "\r\n").encode())
        got = until_end(s).decode("latin-1")
    head, _, body = got.partition("\r\n\r\n")
    status = head.split(" ")[1] if " " in head else "nothing"
    cookies = re.findall(r"(?mi)^set-cookie: (SRV=[^;\r]*)", head)
    return " ".join([body if status == "200" else status] + cookies)


def tcp(port, rest):
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as s:
        s.sendall(rest.encode("latin-1").decode("unicode_escape").encode("latin-1"))
        return repr(until_end(s))[2:-1] or "nothing"


def ask(path, command):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(PATIENCE)
        s.connect(path)
        s.sendall(command.encode() + b"\n")
        return until_end(s).decode()


def normal(said):
    said = re.sub(r"0x[0-9a-f]+: key=", "0x...: key=", said)
    said = re.sub(r" exp=[1-9]\d*", " exp=...", said)
    rows = [r for r in said.split("\n") if r]
    entries = sorted(r for r in rows if r.startswith("0x..."))
    return [r for r in rows if not r.startswith("0x...")] + entries


# ---- cases


def cases():
    found = []
    for line in lines("persist.txt"):
        if line.startswith("case "):
            found.append((line[5:], [], []))
        elif line.startswith("> "):
            found[-1][2].append(line[2:])
        elif line.startswith("\t") or line.startswith("  "):
            found[-1][1].append(line.strip())
    return found


COMMON = """global
	stats socket %sock level admin
defaults
	timeout connect 10s
	timeout client 30s
	timeout server 30s
	retries 1
"""


class World:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.ports = {n: serve(n) for n in ("s1", "s2", "s3", "s4", "b1", "b2")}
        self.dead = free_port()
        self.ports["dead"] = self.dead.getsockname()[1]
        for name in ("front", "other"):
            with free_port() as s:
                self.ports[name] = s.getsockname()[1]
        self.sock = os.path.join(folder, "persist.sock")
        self.said = {str(p): n for n, p in self.ports.items()}

    def fill(self, text):
        text = text.replace("%sock", self.sock)
        return re.sub(r"%(s\d|b\d|dead|front|other)\b",
                      lambda m: f"127.0.0.1:{self.ports[m.group(1)]}", text)

    def unfill(self, row):
        row = re.sub(r"127\.0\.0\.1:(\d+)", lambda m: "%" + self.said.get(m.group(1), m.group(1)), row)
        return re.sub(r"'(\d+)'", lambda m: "'" + self.said.get(m.group(1), m.group(1)) + "'", row)

    def start(self, config):
        mode = "" if any(l.startswith("mode ") for l in config) else "	mode http\n"
        path = os.path.join(self.folder, "persist.cfg")
        own = [l for l in config if l.startswith("global ")]
        text = COMMON.replace("global\n", "global\n" + "".join("\t" + l[7:] + "\n" for l in own)) + mode
        text += "\n".join(l for l in config if l not in own) + "\n"
        with open(path, "w") as f:
            f.write(self.fill(text))
        with open(os.path.join(self.folder, "persist.log"), "w") as log:
            p = subprocess.Popen([self.program, "-db", "-f", path], stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while p.poll() is None and time.monotonic() < end:
            try:
                ask(self.sock, "show info")
                return p
            except OSError:
                time.sleep(0.01)
        p.wait()
        return None

    def step(self, step):
        what, _, rest = step.partition(" ")
        port = self.ports["front"]
        rest = re.sub(r"%rdp_(s\d)", lambda m: f"16777343.{socket.htons(self.ports[m.group(1)])}.0000", rest)
        if rest.startswith("other "):
            port, rest = self.ports["other"], rest[6:]
        if what == "get":
            return [get(port, rest)]
        if what == "tcp":
            return [tcp(port, rest).replace(str(socket.htons(self.ports["s2"])), "%rdp_s2")]
        return [self.unfill(r) for r in normal(ask(self.sock, rest))]

    def run(self, case):
        name, config, steps = case
        program = self.start(config)
        out = [f"case {name}"]
        if not program:
            return out + ["does not start"]
        for step in steps:
            out.append("> " + step)
            out += self.step(step)
        program.send_signal(signal.SIGTERM)
        program.wait()
        if os.path.exists(self.sock):
            os.unlink(self.sock)
        return out


def blocks(name):
    found = {}
    for line in lines(name):
        if line.startswith("case "):
            found[line[5:]] = rows = []
        if line and found:
            rows.append(line)
    return found


def compare(world, wanted, deviations):
    failures, want, other = 0, blocks(wanted), blocks(deviations) if deviations else {}
    for case in cases():
        said = world.run(case)
        for _ in range(0 if deviations else 4):
            # A stream of the reference may still be there when its client has gone.
            if said != want.get(case[0]):
                said = world.run(case)
        if case[0] in other:
            good = said == other[case[0]] != want.get(case[0])
        else:
            good = said == want.get(case[0])
        if not good:
            failures += 1
            print("FAILED  " + "\n        ".join(said))
            print("wanted  " + "\n        ".join(other.get(case[0]) or want.get(case[0]) or []))
    return failures


def main():
    what, program, folder = sys.argv[1:4]
    world = World(program, folder)
    if what == "record":
        for case in cases():
            if len(sys.argv) < 5 or sys.argv[4] in case[0]:
                print("\n".join(world.run(case)), flush=True)
        return 0
    if len(sys.argv) > 4:
        return compare(world, sys.argv[4], None) != 0
    return compare(world, "persist_answers.txt", "persist_deviations.txt") != 0


sys.exit(main())
