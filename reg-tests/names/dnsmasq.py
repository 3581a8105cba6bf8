# SPDX-License-Identifier: BSD-2-Clause
"""A name server of others, whose hosts file is rewritten while traffic flows; see dnsmasq.sh."""
import argparse
import os
import signal
import subprocess

import service
from names_world import Origins, Traffic, World
from service import check, until


class Dnsmasq:
    def __init__(self, folder, origins, hosts):
        self.hosts, self.port = os.path.join(folder, "hosts"), service.free_ports(1)[0]
        self.write(hosts)
        self.process = subprocess.Popen(
            ["dnsmasq", "-k", "-p", str(self.port), "-C", "/dev/null", "--no-resolv", "--no-hosts", "--local-ttl=0",
             "--user=root", "--pid-file=", "--local=/example.com/", "--listen-address=127.0.0.1", "--bind-interfaces",
             "--addn-hosts=" + self.hosts] +
            [f"--srv-host=_http._tcp.api.example.com,{host}.example.com,{origins.port},{priority},{weight}"
             for host, priority, weight in (("x", 1, 1000), ("y", 1, 500))],
            stderr=subprocess.DEVNULL)

    def write(self, hosts):
        """name: addresses"""
        with open(self.hosts + ".new", "w", encoding="utf-8") as f:
            for name, addresses in hosts.items():
                f.writelines(f"{address} {name}.example.com\n" for address in addresses)
        os.rename(self.hosts + ".new", self.hosts)

    def change(self, hosts):
        self.write(hosts)
        self.process.send_signal(signal.SIGHUP)

    def end(self):
        self.process.terminate()
        self.process.wait(service.PATIENCE)


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "example":
        p.add_argument("--" + name)
    args = p.parse_args()
    origins = Origins([f"127.0.0.{i}" for i in range(1, 5)])
    dns = Dnsmasq(args.dir, origins, {"app": ["127.0.0.1", "127.0.0.2"], "x": ["127.0.0.3"], "y": ["127.0.0.4"]})
    os.environ.update(NAME_SERVER=f"127.0.0.1:{dns.port}", RESOLVE="100ms", STATS_SOCKET=os.path.join(args.dir, "stats"),
                      APP=f"app.example.com:{origins.port}")
    w = World(args, None, file=args.example)
    has = lambda backend: sorted(a for a in w.addresses(backend) if a != "-")
    until("servers get the addresses of their name", lambda: has("app") == ["127.0.0.1", "127.0.0.2"])
    until("and the hosts of their service", lambda: has("api") == ["127.0.0.3", "127.0.0.4"])
    check("with weights", sorted(row["srv_uweight"] for row in w.servers().values()
                                 if row["be_name"] == "api" and row["srv_addr"] != "-") == ["2", "4"])
    up = lambda backend: sum(row["srv_op_state"] == "2" for row in w.servers().values() if row["be_name"] == backend)
    until("which are up", lambda: up("app") == 2 and up("api") == 2)
    traffic = Traffic(w)
    for now in (["127.0.0.2", "127.0.0.3"], ["127.0.0.3", "127.0.0.4"], ["127.0.0.1", "127.0.0.4"], ["127.0.0.1", "127.0.0.2"]):
        dns.change({"app": now, "x": ["127.0.0.3"], "y": ["127.0.0.4"]})
        until(f"the name has other addresses: {now}", lambda now=now: has("app") == now and up("app") == 2)
        before = dict(origins.requests)
        until("all of them serve", lambda now=now, before=before: all(origins.requests[a] > before[a] for a in now))
    traffic.end("no request fails while addresses change")
    traffic = Traffic(w)
    dns.end()
    until("the name server is dead", lambda: w.counts()["ns1"]["timeout"] > 3)
    check("servers keep their addresses", has("app") == ["127.0.0.1", "127.0.0.2"] and len(has("api")) == 2)
    traffic.end("no request fails meanwhile")
    w.end()
    service.finish()


main()
