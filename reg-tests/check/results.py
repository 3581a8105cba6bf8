# SPDX-License-Identifier: BSD-2-Clause
"""results.py PROGRAM RESULTS FOLDER [pieces]: for each case of results.txt one backend, asked once
by one process, and one server that behaves as its script says; compares the line of the log, and
what the server was sent. results.txt says how cases are written."""
import os
import re
import socket
import subprocess
import sys
import time

from origin import serve_each
from sockets import reset

program, results, folder = sys.argv[1:4]
pieces = "pieces" in sys.argv[4:]
reference = "haproxy" in os.path.basename(program)
DEADLINE = 120


class Server:
    """Listens on a port of its own and follows its script with each client."""

    def __init__(self, script):
        self.sock = socket.socket()
        self.sock.bind(("127.0.0.1", 0))
        self.port = self.sock.getsockname()[1]
        self.got = None
        if script == "refuses":
            return  # bound, so that nobody else gets the port
        self.script = re.findall(r"(?:\d+\*)?b'(?:[^'\\]|\\.)*'|b\"(?:[^\"\\]|\\.)*\"|\S+", script)
        self.sock.listen(20)
        serve_each(self.sock, self.talk)


    def read(self, client, got, enough):
        while not enough(got):
            data = client.recv(65536)
            if not data:
                raise OSError
            got += data

    def send(self, client, data):
        """With pieces: one byte at a time, as far as an answer that is to be judged reaches."""
        alone = 200 if pieces else 0
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, pieces)
        for byte in data[:alone]:
            client.sendall(bytes([byte]))
            time.sleep(0.003)
        client.sendall(data[alone:])

    def talk(self, client):
        got = bytearray()
        if self.got is None:
            self.got = got
        try:
            for word in self.script:
                if word == "head":
                    self.read(client, got, lambda g: b"\r\n\r\n" in g)
                elif word[0] == "<":
                    self.read(client, got, lambda g: len(g) >= int(word[1:]))
                elif word == "pause":
                    time.sleep(0.1)
                elif word == "shut":
                    client.shutdown(socket.SHUT_WR)
                elif word == "rst":
                    reset(client)
                    return
                elif word == "fin":
                    client.close()
                    return
                else:
                    self.send(client, eval(word))
            self.read(client, got, lambda g: False)
        except OSError:
            pass
        client.close()


class Case:
    def __init__(self, name):
        self.name, self.rules, self.words = name, [], ""
        self.server = self.agent = None
        self.wanted, self.ours, self.sent = None, None, None
        self.early = False

    def config(self):
        slow = "timeout" in (self.wanted if reference else self.ours or self.wanted)
        lines = ["backend " + self.name, "\toption log-health-checks",
                 "\ttimeout check " + ("6s" if slow else "%ds" % DEADLINE)]
        lines += ["\t" + r.replace("$P", str(self.server.port)) for r in self.rules
                  if not r.startswith("server ")]
        line = next((r for r in self.rules if r.startswith("server ")),
                    "server s 127.0.0.1:$P check")
        words = self.words + " inter %ds agent-inter %ds" % (DEADLINE, DEADLINE)
        line += " " + words
        if self.agent:
            line = line.replace("$P2", str(self.agent.port))
        return lines + ["\t" + re.sub(r" (agent-)?inter \d+(?= .*\1inter)", "", line)
                        .replace("$P", str(self.server.port))]


def cases():
    case = None
    for line in open(results):
        line = line.rstrip("\n")
        if line.startswith("case "):
            case = Case(line[5:])
            yield case
        elif line.startswith("  server: "):
            case.server = Server(line[10:].strip())
        elif line.startswith("  agent: "):
            case.agent = Server(line[9:].strip())
        elif line.startswith("  = "):
            case.wanted = line[4:]
        elif line.startswith("  ours "):
            case.ours = line[7:]
        elif line.startswith("  got: "):
            case.sent = line[7:]
        elif line.startswith("  ours-got: "):
            case.sent = case.sent if reference else line[12:]
        elif line == "  early":
            case.early = True
        elif line.startswith("  + "):
            case.words = line[4:]
        elif line.startswith("  "):
            case.rules.append(line[2:])


LINE = re.compile(r"(Health|Agent) check for server (\S+)/s (.*)")


def said(path):
    """The first line of each backend; of the agent where there is one."""
    lines = {}
    for line in open(path, errors="replace"):
        m = LINE.search(line)
        if m:
            text = re.sub(r",? ?check duration: \d+ms", "", m.group(3))
            lines.setdefault((m.group(2), m.group(1)[0]), m.group(1)[0] + " " + text)
    return lines


def main():
    every = [c for c in list(cases()) if not (pieces and c.early)]
    config = ["global", "\tmaxconn 100", "\tstats socket " + folder + "/stats", "\tmax-spread-checks 1", "defaults", "\ttimeout connect 60s",
              "\ttimeout client 60s", "\ttimeout server 60s"]
    for case in every:
        config += case.config()
    with open(folder + "/cfg", "w") as f:
        f.write("\n".join(config) + "\n")
    log = folder + "/said"
    with open(log, "w") as f:
        process = subprocess.Popen([program, "-db", "-f", folder + "/cfg"], stdout=f, stderr=f)
    end = time.monotonic() + DEADLINE
    wait = {(c.name, (c.wanted if reference else c.ours or c.wanted)[0]) for c in every}
    while time.monotonic() < end and wait - said(log).keys() and process.poll() is None:
        time.sleep(0.2)
    lines = said(log)
    process.terminate()
    process.wait()
    bad = 0
    for case in every:
        wanted = case.wanted if reference else case.ours or case.wanted
        got = lines.get((case.name, wanted[0]))
        sent = "b" + case.sent if case.sent else None
        if sent and case.server.got is not None:
            # The address of the check is in it.
            mine = re.sub(rb"(PROXY TCP4 127.0.0.1 127.0.0.1 )\d+ \d+", rb"\1N PORT",
                          bytes(case.server.got))
            mine = re.sub(rb"host: 127.0.0.1:\d+", b"host: ADDRESS", mine)
            mine = re.sub(rb"port=\d+", b"port=PORT", re.sub(rb"node=[^;]*", b"node=vm", mine))
            if mine != eval(sent):
                bad += 1
                print("%s: was sent %r, wanted %s" % (case.name, mine, sent))
        if got != wanted:
            bad += 1
            print("%s:\n  %s\n  wanted %s" % (case.name, got, wanted))
    if not lines:
        print(open(log).read())
    print("%d cases, %d wrong" % (len(every), bad))
    return bad != 0


sys.exit(main())
