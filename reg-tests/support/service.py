# SPDX-License-Identifier: BSD-2-Clause
"""
The penstock that the script has started, what is asked of it, and waiting for events. The options
come from driver() of reg-tests/lib.sh.
"""

import argparse
import os
import socket
import subprocess
import sys
import time

from http1 import Answer, Reader, request

PATIENCE = 120  # seconds; passes only when something is broken

failures = 0


def check(sentence, good, said=None):
    """said: what is shown where it does not hold."""
    global failures
    print(("ok      " if good else "FAILED  ") + sentence, flush=True)
    if not good and said is not None:
        print("instead: " + (said if isinstance(said, str) else repr(said)), flush=True)
    failures += not good


def finish():
    sys.exit(failures > 0)


def until(sentence, condition):
    """Waits for the event; a failure when it does not come."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            value = condition()
        except (OSError, LookupError, TypeError, ValueError):
            value = None  # a parent that is executed anew, a worker that is replaced: half an answer, or none
        if value:
            check(sentence, True)
            return value
        time.sleep(0.02)
    check(sentence, False)
    return None


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def connect(to, source=None):
    """A TCP connection to "host:port", or to the Unix socket of that path. source: the address that
    it comes from."""
    s = socket.socket(socket.AF_UNIX) if to.startswith("/") else socket.socket()
    s.settimeout(PATIENCE)
    if source:
        s.bind((source, 0))
    s.connect(to if to.startswith("/") else address(to))
    return s


def free_ports(n):
    """As ports of reg-tests/lib.sh: no other test is given them meanwhile."""
    tool = os.path.join(os.environ.get("topbuild", os.getcwd()), "reg-tests/relay/relaytest")
    said = subprocess.run([tool, "-n", str(n), "ports"], stdout=subprocess.PIPE, check=True).stdout
    return [int(port) for port in said.split()]


def read_all(s):
    got = b""
    while piece := s.recv(65536):
        got += piece
    return got


def to_the_end(s):
    """The same, be the end a reset."""
    got = b""
    try:
        while piece := s.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got


def ask(path, command):
    """The answer of a stats socket, or of the parent's, without the empty line at its end."""
    with connect(path) as s:
        s.sendall(command.encode() + b"\n")
        return read_all(s).decode().rstrip("\n")


def asked(to, path="/", *fields, **words):
    """A connection over which one request was sent, the last one."""
    s = connect(to)
    s.sendall(request(path, *fields, close=True, **words))
    return s


def fetch(to, path="/", *fields, source=None, **words):
    """The Answer to one request over a connection of its own. words: as of http1.request."""
    with connect(to, source) as s:
        s.sendall(request(path, *fields, close=True, **words))
        return Answer(read_all(s))


def taken(program, text, folder):
    """Whether it takes a configuration."""
    path = os.path.join(folder, "taken.cfg")
    with open(path, "w") as f:
        f.write(text)
    return subprocess.run([program, "-c", "-f", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


class Service:
    def __init__(self, *extra):
        """extra: names of options of the test's own, or functions of the parser."""
        p = argparse.ArgumentParser()
        for name in "front", "back", "stats", "parent", "dir":
            p.add_argument("--" + name)
        p.add_argument("--pid", type=int)
        for each in extra:
            if callable(each):
                each(p)
            else:
                p.add_argument("--" + each)
        self.args = p.parse_args()
        self.pid = self.args.pid
        folder = self.args.dir or ""
        self.cfg, self.log = os.path.join(folder, "cfg"), os.path.join(folder, "log")

    def logged(self, text):
        """How often it stands in the log."""
        with open(self.log, errors="replace") as f:
            return f.read().count(text)

    def children(self):
        """Pids of the parent's children, whatever they are."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children") as f:
            return {int(pid) for pid in f.read().split()}

    def ask(self, command):
        return ask(self.args.stats, command)

    def parent(self, command):
        return ask(self.args.parent, command)

    def worker(self, number, command):
        return self.parent(f"@{number} {command}")

    def workers(self):
        """Pids of the present workers, in the order of "show proc"."""
        now = self.parent("show proc").split("# workers")[1].split("#")[0]
        return [int(line.split()[0]) for line in now.splitlines() if line.strip()]

    def old_workers(self):
        said = self.parent("show proc").split("# old workers\n")
        return [int(line.split()[0]) for line in said[1].splitlines()] if len(said) > 1 else []

    def settle(self, workers=2):
        """Waits until so many workers serve, and none of before a reload."""
        until("new workers serve alone", lambda: not self.old_workers() and len(self.workers()) == workers)

    def reload(self, text=None, workers=2):
        """With this configuration, if one is given; returns what the parent has said."""
        if text is not None:
            with open(self.cfg, "w") as f:
                f.write(text)
        said = self.parent("reload")
        check("the reload succeeds", "Success=1" in said)
        if "Success=1" not in said:
            print(said)
        self.settle(workers)
        return said

    def says(self, command, sentence):
        """One check: the answer."""
        answer = self.ask(command).strip()
        check(f"{command}: {sentence or '(nothing)'}", answer == sentence, answer)

    def say(self, commands, sentences):
        """The same of several commands: their answers stand behind one another."""
        answer = " ".join(self.ask(commands).split())
        check(f"{commands}: {sentences or '(nothing)'}", answer == sentences, answer)

    def keep_asking(self, counts, stop, path=lambda: "/"):
        """Requests over a connection that stays, until stop is set; counts has "good" and "bad"."""
        s = connect(self.args.front)
        while not stop.is_set():
            try:
                counts["good" if self.get(path(), s) == 200 else "bad"] += 1
            except OSError:
                counts["bad"] += 1
                s = connect(self.args.front)

    def servers(self, backend):
        """The lines of show servers state by the servers' names."""
        said = self.ask(f"show servers state {backend}").splitlines()[2:]
        return {line.split()[3]: line.split() for line in said if line}

    def sound(self):
        check("the shared memory is sound", "sound" in self.ask("expert-mode on; debug dev segment"))

    def folder(self, name):
        """A new one for what the test starts."""
        path = os.path.join(self.args.dir, name)
        os.mkdir(path)
        return path

    def info(self, command="show info", through=None):
        said = (through or self.ask)(command)
        return dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)

    def stat(self, proxy, name, through=None):
        """The row of show stat as a dictionary."""
        lines = (through or self.ask)("show stat").lstrip("# ").splitlines()
        for line in lines[1:]:
            row = dict(zip(lines[0].split(","), line.split(",")))
            if row.get("pxname") == proxy and row.get("svname") == name:
                return row
        raise KeyError(name)

    def get(self, path="/", keep=None):
        """One request; the status. keep: a connection that stays."""
        if not keep:
            return fetch(self.args.front, path).status
        keep.sendall(request(path))
        got = Reader(keep).message()
        return int(got[0].split()[1]) if got else 0

    def fetch(self, path="/", *fields, **words):
        return fetch(self.args.front, path, *fields, **words)
