# SPDX-License-Identifier: BSD-2-Clause
"""
Members of a section `peers' for tests: each a penstock or a haproxy in a folder of its own, with
the same section and two tables (`b', `p/t').

    nodes = Nodes(["A", "B"])          # addresses on 127.0.0.1; or addresses={"A": "10.1.1.1:1024"}
    nodes["A"].start(nbproc=2)         # extra global lines: more="..."
    nodes["A"].set("10.0.0.1", 7)      # gpc0 in table b
    nodes["A"].value("10.0.0.1")       # the same, or None
"""
import os
import re
import signal
import subprocess
import time

from service import ask, free_ports, until

PENSTOCK = os.environ.get("PENSTOCK", os.path.join(os.environ.get("topbuild", os.getcwd()), "penstock"))
HAPROXY = next((path for path in ("/usr/sbin/haproxy", "/usr/local/sbin/haproxy")
                if os.access(path, os.X_OK)), None)
TABLES = """
backend b
    stick-table type ip size 200k expire 10m store gpc0,gpc1,http_req_cnt peers p
"""


class Node:
    def __init__(self, nodes, name, program):
        self.nodes, self.name, self.program = nodes, name, program
        self.folder = os.path.join(nodes.folder, name)
        os.mkdir(self.folder)
        self.stats, self.log = self.folder + "/stats", self.folder + "/log"
        self.cfg, self.parent = self.folder + "/cfg", self.folder + "/parent"
        self.process, self.netns = None, None

    def section(self):
        return "".join(f"    peer {name} {address} {self.nodes.words}\n"
                       for name, address in self.nodes.addresses.items())

    def configuration(self, nbproc=1, more="", section=None, tables=TABLES):
        workers = f"    nbproc {nbproc}\n" if nbproc > 1 else ""
        return (f"global\n    stats socket {self.stats} level admin\n    localpeer {self.name}\n"
                f"{workers}{more}defaults\n    timeout connect 5s\n    timeout client 5s\n"
                f"    timeout server 5s\npeers p\n{section or self.section()}"
                f"    table t type string len 32 size 10k expire 10m store gpc0\n{tables}")

    def start(self, arguments=(), **how):
        with open(self.cfg, "w") as f:
            f.write(self.configuration(**how))
        command = [self.program, "-db", "-f", self.cfg, *arguments]
        if self.netns:
            command = ["ip", "netns", "exec", self.netns, *command]
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.nodes.processes.append(self.process)
        until(f"{self.name} answers", lambda: self.ask("show info").find(f"Pid: ") >= 0
              and self.is_ours())
        return self

    def is_ours(self):
        """The one started last answers, not one that it replaces."""
        pid = int(re.search(r"^Pid: (\d+)", self.ask("show info"), re.M)[1])
        try:
            with open(f"/proc/{pid}/stat") as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
        return self.process.pid in (pid, parent)

    def ask(self, command):
        return ask(self.stats, command)

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()

    def set(self, key, value, table="b"):
        self.ask(f"set table {table} key {key} data.gpc0 {value}")

    def value(self, key, table="b"):
        found = re.search(r" gpc0=(\d+)", self.ask(f"show table {table} key {key}"))
        return int(found[1]) if found else None

    def used(self, table="b"):
        return int(re.search(r"used:(\d+)", self.ask(f"show table {table}").splitlines()[0])[1])

    def peers(self):
        """Of each member a dictionary of the fields of show peers."""
        said = re.split(r"^  0x\w+: id=", self.ask("show peers"), flags=re.M)[1:]
        return {re.match(r"[\w.:-]+", part)[0]: dict(re.findall(r"(\w+)=(\S+)", part)) for part in said}

    def status(self, name):
        return self.peers()[name]["last_status"]

    def talks_to(self, *names):
        return all(self.status(name) == "ESTA" for name in names)

    def logged(self, text):
        with open(self.log, errors="replace") as f:
            return f.read().count(text)

    def reload(self):
        """With -W."""
        assert "Success=1" in ask(self.parent, "reload")

    def worker_that_speaks(self):
        """The pid of the one that holds the connections with members."""
        found = None
        for pid in self.children():
            if any(f":{port:04X} " in line or line.split()[2].endswith(f":{port:04X}")
                   for port in self.nodes.ports for line in self.connections(pid)):
                found = pid
        return found

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            return [int(pid) for pid in f.read().split()]

    def connections(self, pid):
        """Lines of /proc/net/tcp of established connections of the process."""
        sockets = set()
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                link = os.readlink(f"/proc/{pid}/fd/{fd}")
            except OSError:
                continue
            if link.startswith("socket:["):
                sockets.add(link[8:-1])
        with open(f"/proc/{pid}/net/tcp") as f:
            return [line for line in f.readlines()[1:]
                    if line.split()[3] == "01" and line.split()[9] in sockets]


class Nodes:
    def __init__(self, names, folder, addresses=None, programs=None, words=""):
        self.folder, self.processes, self.words = folder, [], words
        ports = free_ports(len(names))
        self.addresses = addresses or {name: f"127.0.0.1:{port}" for name, port in zip(names, ports)}
        self.ports = {int(address.rsplit(":", 1)[1]) for address in self.addresses.values()}
        self.nodes = {name: Node(self, name, (programs or {}).get(name, PENSTOCK)) for name in names}

    def __getitem__(self, name):
        return self.nodes[name]

    def __iter__(self):
        return iter(self.nodes.values())

    def until_all(self, sentence, key, value, table="b"):
        """All have it; in how many ms from now on."""
        began = time.monotonic()
        until(sentence, lambda: all(node.value(key, table) == value for node in self))
        return (time.monotonic() - began) * 1000

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            process.wait()
        for node in self:
            if os.path.exists(node.log):
                with open(node.log, errors="replace") as f:
                    said = f.read()
                assert "AddressSanitizer" not in said and "runtime error:" not in said, said
