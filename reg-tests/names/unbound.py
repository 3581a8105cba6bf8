# SPDX-License-Identifier: BSD-2-Clause
"""Unbound as the name server: its answers come in turns, and names are away for a while; see
unbound.sh."""
import argparse
import os
import subprocess

import service
from names_world import Origins, Traffic, World
from service import check, until

CONF = """server:
	directory: "{dir}"
	chroot: ""
	username: ""
	pidfile: ""
	use-syslog: no
	interface: 127.0.0.1@{port}
	do-ip6: no
	do-daemonize: no
	module-config: "iterator"
	rrset-roundrobin: yes
	local-zone: "example.com." static
remote-control:
	control-enable: yes
	control-interface: "{dir}/control"
	control-use-cert: no
"""
TEXT = """resolvers dns
	nameserver ns1 {way}127.0.0.1:{dns}
	accepted_payload_size 8192
	timeout resolve 50ms
	timeout retry 1s
	hold valid 50ms
	hold obsolete 0
	hold nx {nx}
	hold timeout 1h
frontend f
	bind {front}
	default_backend b
backend b
	option redispatch
	default-server resolvers dns init-addr none resolve-prefer ipv4
	server-template s 3 app.example.com:{port}
"""
HOME = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]


class Unbound:
    def __init__(self, folder):
        self.port, self.folder = service.free_ports(1)[0], folder
        self.conf = os.path.join(folder, "unbound.conf")
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write(CONF.format(dir=folder, port=self.port))
        with open(os.path.join(folder, "unbound.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["unbound", "-d", "-c", self.conf], stdout=log, stderr=log)

    def control(self, *words):
        return subprocess.run(["unbound-control", "-c", self.conf, *words], check=False, capture_output=True).returncode == 0

    def add(self, *addresses):
        return all([self.control("local_data", f"app.example.com. 0 A {a}") for a in addresses])

    def remove(self):
        return self.control("local_data_remove", "app.example.com.")

    def end(self):
        self.process.terminate()
        self.process.wait(service.PATIENCE)


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "way":
        p.add_argument("--" + name)
    args = p.parse_args()
    origins = Origins(HOME + ["127.0.0.4"])
    dns = Unbound(args.dir)
    until("Unbound serves", lambda: dns.process.poll() is not None or dns.add(*HOME))
    if dns.process.poll() is not None:
        with open(os.path.join(args.dir, "unbound.log"), encoding="utf-8") as f:
            raise SystemExit(f.read()[-2000:])
    words = {"dns": dns.port, "port": origins.port, "way": "tcp@" if args.way == "tcp" else "", "nx": "1h"}
    w = World(args, TEXT, workers=2, **words)
    has = lambda: sorted(a for a in w.addresses() if a != "-")
    answers = lambda kind: w.counts()["ns1"][kind]
    until("servers get the addresses", lambda: has() == HOME)
    traffic = Traffic(w)
    # Another order is no change.
    before, at = w.addresses(), answers("valid")
    until("thirty answers come, in turns", lambda: answers("valid") > at + 30)
    check("and each server keeps its address", w.addresses() == before)
    # A name that is away for less than "hold nx".
    check("the name goes", dns.remove())
    at = answers("nx")
    until("which is answered", lambda: answers("nx") > at + 5)
    check("servers keep their addresses", has() == HOME)
    check("the name comes back, with another address", dns.add(*HOME[1:], "127.0.0.4"))
    until("and servers have it", lambda: has() == HOME[1:] + ["127.0.0.4"])
    traffic.end("no request fails meanwhile")
    # And for more than that: over a reload, which changes the word.
    w.write(TEXT, nx="100ms")
    check("a reload succeeds", "Success=1" in service.ask(w.parent, "reload"))
    until("which keeps addresses", lambda: has() == HOME[1:] + ["127.0.0.4"])
    check("the name goes", dns.remove())
    until("after its time servers have none", lambda: not has())
    until("and none is asked", lambda: "503" in w.get().split("\r\n")[0])
    check("the name comes back", dns.add(*HOME))
    until("and so do the servers", lambda: has() == HOME)
    until("which serve", lambda: w.get() in HOME)
    w.end()
    dns.end()
    service.finish()


main()
