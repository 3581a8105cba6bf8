# SPDX-License-Identifier: BSD-2-Clause
"""What tests of several machines have in common: machines that are network namespaces
(machines.sh), examples/pair.cfg on two of them, servers, a client. They are called as

    X.py PENSTOCK EXAMPLES FOLDER NUMBER-OF-THE-NAMESPACES"""
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading

import service
from http1 import Answer, reply
from origin import serve
from service import read_all, until

PENSTOCK, EXAMPLES, FOLDER, NUMBER = sys.argv[1:5]
OTHER = {"left": "right", "right": "left"}
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
WIRE = open("/proc/self/ns/net")  # where the wire is


def enter(namespace):
    if LIBC.setns(namespace.fileno(), CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def inside(machine):
    """The calling thread is on that machine from now on: sockets that it makes are the
    machine's."""
    with open(f"/run/netns/penstock-{machine}{NUMBER}") as f:
        enter(f)


def on(machine, *command, log=None):
    with open(f"{FOLDER}/{log or 'out'}", "ab") as out:
        return subprocess.Popen(["ip", "netns", "exec", f"penstock-{machine}{NUMBER}", *command],
                                stdout=out, stderr=out)


# ---- servers ------------------------------------------------------------------------------------


def origin(address, name):
    inside("servers")

    def answer(r):
        cookie = [f"Set-Cookie: JSESSIONID={r.path[7:]}"] if r.path.startswith("/login/") else []
        return reply(name, *cookie)
    serve(f"{address}:8080", answer)


# ---- machines -----------------------------------------------------------------------------------


class Machine:
    def __init__(self, name, keepalived):
        self.name = name
        self.penstock = self.keepalived = None
        self.start_penstock()
        if keepalived:
            self.start_keepalived()

    def start_penstock(self):
        with open(f"{FOLDER}/{self.name}.cfg", "w") as f:
            f.write(f"global\n\tstats socket {FOLDER}/{self.name}.sock level admin\n")
        self.penstock = on(self.name, PENSTOCK, "-db", "-L", self.name, "-f", f"{EXAMPLES}/pair.cfg",
                           "-f", f"{FOLDER}/{self.name}.cfg", log=self.name + ".log")
        until(f"{self.name} starts", lambda: self.ask("show info"))

    def start_keepalived(self):
        pids = [f"--{which}={FOLDER}/{self.name}.{which}" for which in ("pid", "vrrp_pid")]
        self.keepalived = on(self.name, "keepalived", "-n", "-l", "-D", "-P", "-i", self.name, *pids,
                             "-f", f"{EXAMPLES}/pair-keepalived.conf", log=self.name + ".keepalived")

    def ask(self, command):
        return service.ask(f"{FOLDER}/{self.name}.sock", command)

    def count(self):
        """Requests of the client, as its table says."""
        rows = [r for r in self.ask("show table clients").splitlines() if "key=192.0.2.100 " in r]
        return int(rows[0].split("http_req_cnt=")[1].split()[0]) if rows else 0

    def has_address(self):
        said = subprocess.run(["ip", "-n", f"penstock-{self.name}{NUMBER}", "-4", "addr", "show", "dev", "eth0"],
                              stdout=subprocess.PIPE, check=True).stdout
        return b" 192.0.2.10/" in said

    def link(self, state):
        """Of its wire: the others hear no more of it."""
        subprocess.run(["ip", "link", "set", f"to-{self.name}", state], check=True, preexec_fn=lambda: enter(WIRE))

    def kill_keepalived(self):
        """With its child, so that neither can tidy up."""
        with open(f"{FOLDER}/{self.name}.vrrp_pid") as f:
            child = int(f.read())
        os.kill(child, signal.SIGSTOP)
        self.end(self.keepalived, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
        for which in "pid", "vrrp_pid":  # nobody may take a process that is dead for one that runs
            if os.path.exists(f"{FOLDER}/{self.name}.{which}"):
                os.unlink(f"{FOLDER}/{self.name}.{which}")

    def state(self):
        """What keepalived has said last: MASTER, BACKUP or FAULT."""
        with open(f"{FOLDER}/{self.name}.keepalived", errors="replace") as f:
            said = [line for line in f if "(pair) Entering " in line]
        return said[-1].split("Entering ")[1].split()[0] if said else None

    def end(self, process, how):
        if process and process.poll() is None:
            process.send_signal(how)
            process.wait()


# ---- clients ------------------------------------------------------------------------------------


def request(path="/", cookie=None, timeout=0.5):
    """Status, fields, body; None when there is no whole answer."""
    try:
        with socket.create_connection(("192.0.2.10", 80), timeout) as s:
            extra = f"Cookie: JSESSIONID={cookie}\r\n" if cookie else ""
            s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{extra}\r\n".encode())
            got = read_all(s)
    except OSError:
        return None
    answer = Answer(got)
    return (answer.status, answer.fields, answer.text) if answer.status else None


def start(keepalived):
    """Servers, and both machines, by their names. The calling thread is the client."""
    inside("client")
    for n in (1, 2):
        threading.Thread(target=origin, args=(f"192.0.2.2{n}", b"app%d" % n), daemon=True).start()
    return {name: Machine(name, keepalived) for name in OTHER}


def end(machines):
    """The exit status."""
    for m in machines.values():
        m.end(m.keepalived, signal.SIGTERM)
        m.end(m.penstock, signal.SIGTERM)
    for name in OTHER if service.failures else ():
        for log in "log", "keepalived":
            if os.path.exists(f"{FOLDER}/{name}.{log}"):
                print(f"## {name}.{log}")
                print("".join(open(f"{FOLDER}/{name}.{log}", errors="replace").readlines()[-40:]))
    return service.failures > 0
