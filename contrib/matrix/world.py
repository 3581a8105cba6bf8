# SPDX-License-Identifier: BSD-2-Clause
"""
Three hosts in a row, each a network namespace: client, relay, server, with a veth pair between
neighbours. The relay forwards, and the programs of the rows run in the hosts.
"""

import os
import re
import signal
import subprocess
import time

CLIENT, RELAY, SERVER = "client", "relay", "server"
# host -> (interface, address of IPv4, of IPv6)
LINKS = [((CLIENT, "10.99.1.1", "fd99:1::1"), (RELAY, "10.99.1.2", "fd99:1::2")),
         ((RELAY, "10.99.2.1", "fd99:2::1"), (SERVER, "10.99.2.2", "fd99:2::2"))]
ADDRESSES = {"4": {"relay": "10.99.1.2", "server": "10.99.2.2"},
             "6": {"relay": "[fd99:1::2]", "server": "[fd99:2::2]"}}
# Counters that tell of trouble: /proc/net/snmp, netstat and snmp6.
TROUBLE = re.compile(r"(Udp|Udp6)(InErrors|RcvbufErrors|SndbufErrors|InCsumErrors|NoPorts)"
                     r"|Tcp(InErrs|RetransSegs|InCsumErrors)|(Ip|Ip6)(InDiscards|OutDiscards|ReasmFails|FragFails)"
                     r"|TcpExt(ListenDrops|ListenOverflows|TCPAbortOnMemory|TCPBacklogDrop|TCPRcvQDrop)")
PATIENCE = 15  # seconds, behind the end of a run, until a program is ended


def run(*argv):
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)


def cpu_ticks():
    """Of the machine: busy and all, in ticks of all cores; softirq and what others use included."""
    with open("/proc/stat") as f:
        ticks = [int(word) for word in f.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


class Program:
    """One that runs in a host."""

    def __init__(self, world, host, argv):
        self.process = subprocess.Popen(world.inside(host, argv), stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        world.programs.append(self)

    def ready(self):
        """It has printed a line."""
        return self.process.stdout.readline()

    def said(self, seconds):
        """(What it printed, whether it ended by itself within this time.)"""
        try:
            return self.process.communicate(timeout=seconds)[0], True
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.communicate()[0], False

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.said(PATIENCE)


class World:
    def __init__(self):
        self.names = {host: f"pm{os.getpid()}{host}" for host in (CLIENT, RELAY, SERVER)}
        self.programs = []

    def inside(self, host, argv):
        return ["ip", "netns", "exec", self.names[host], *argv]

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self):
        for host in self.names:
            run("ip", "netns", "add", self.names[host])
            run(*self.inside(host, ["ip", "link", "set", "lo", "up"]))
        for number, (left, right) in enumerate(LINKS):
            run("ip", "link", "add", f"pm{number}a", "netns", self.names[left[0]], "type", "veth",
                "peer", "name", f"pm{number}b", "netns", self.names[right[0]])
            for (host, four, six), side in ((left, "a"), (right, "b")):
                name = f"pm{number}{side}"
                run(*self.inside(host, ["ip", "addr", "add", four + "/24", "dev", name]))
                run(*self.inside(host, ["ip", "addr", "add", six + "/64", "dev", name, "nodad"]))
                run(*self.inside(host, ["ip", "link", "set", name, "up"]))
        for host, four, six in ((CLIENT, "10.99.1.2", "fd99:1::2"), (SERVER, "10.99.2.1", "fd99:2::1")):
            run(*self.inside(host, ["ip", "route", "add", "default", "via", four]))
            run(*self.inside(host, ["ip", "-6", "route", "add", "default", "via", six]))
        for word in ("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1"):
            run(*self.inside(RELAY, ["sysctl", "-qw", word]))
        for host in self.names:
            run(*self.inside(host, ["sysctl", "-qw", "net.ipv4.ip_local_port_range=10000 65000"]))
            # Short connections of the row before must not use up the ports of this one.
            run(*self.inside(host, ["sysctl", "-qw", "net.ipv4.tcp_tw_reuse=1"]))
            # Pacing would cost every way alike more than its own work does.
            any(self.set(host, f"net.ipv4.tcp_congestion_control={name}") for name in ("cubic", "reno"))

    def set(self, host, word):
        return subprocess.run(self.inside(host, ["sysctl", "-qw", word]), check=False,
                              stderr=subprocess.DEVNULL).returncode == 0

    def __exit__(self, *error):
        for program in self.programs:
            if program.process.poll() is None:
                program.process.kill()
                program.process.wait()
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)

    def troubles(self):
        """Counters of trouble of all hosts together."""
        found = {}
        for host in self.names:
            said = subprocess.run(self.inside(host, ["cat", "/proc/net/snmp", "/proc/net/netstat", "/proc/net/snmp6"]),
                                  check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
            pairs = []
            for titles, values in zip(said, said[1:]):
                if ":" in titles and titles.split(":")[0] == values.split(":")[0]:
                    area = titles.split(":")[0]
                    pairs += [(area + t, v) for t, v in zip(titles.split()[1:], values.split()[1:])]
            pairs += [line.split() for line in said if len(line.split()) == 2 and ":" not in line]
            for name, value in pairs:
                if TROUBLE.fullmatch(name) and value.lstrip("-").isdigit():
                    found[name] = found.get(name, 0) + int(value)
        return found

    def listens(self, host, protocol, port, seconds=5):
        """Waits until somebody does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            said = subprocess.run(self.inside(host, ["ss", "-Hln" + protocol, f"sport = :{port}"]),
                                  check=False, stdout=subprocess.PIPE, text=True).stdout
            if said.strip():
                return True
            time.sleep(0.02)
        return False
