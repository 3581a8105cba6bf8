# SPDX-License-Identifier: BSD-2-Clause
"""BIND as the name server: addresses and services come and go by nsupdate; see bind9.sh."""
import argparse
import os
import subprocess

import service
from names_world import Origins, Traffic, World
from service import check, until

CONF = """options {{ directory "{dir}"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; recursion no;
	pid-file none; session-keyfile "{dir}/session.key"; dnssec-validation no; minimal-responses no; }};
controls {{ }};
zone "example.com" {{ type primary; file "{dir}/zone"; allow-update {{ 127.0.0.1; }}; }};
"""
ZONE = """$TTL 1
@ IN SOA ns.example.com. root.example.com. 1 60 60 60 1
@ IN NS ns.example.com.
ns IN A 127.0.0.1
app IN A 127.0.0.1
app IN A 127.0.0.2
www IN CNAME app
x IN A 127.0.0.3
y IN A 127.0.0.4
_http._tcp.api IN SRV 1 1000 {port} x.example.com.
"""
TEXT = """resolvers dns
	nameserver ns1 127.0.0.1:{dns}
	accepted_payload_size {payload}
	timeout resolve 50ms
	timeout retry 1s
	hold obsolete 0
	hold timeout 1h
frontend f
	bind {front}
	use_backend api if {{ path_beg /api }}
	default_backend b
backend b
	option redispatch
	default-server resolvers dns init-addr none resolve-prefer ipv4
	server-template s 2 www.example.com:{port}
backend api
	server-template a 3 _http._tcp.api.example.com resolvers dns resolve-prefer ipv4
backend many
	server-template m 60 many.example.com:{port} resolvers dns init-addr none resolve-prefer ipv4
"""


class Bind:
    def __init__(self, folder, origins):
        self.port = service.free_ports(1)[0]
        with open(os.path.join(folder, "zone"), "w", encoding="utf-8") as f:
            f.write(ZONE.format(port=origins.port))
        conf = os.path.join(folder, "named.conf")
        with open(conf, "w", encoding="utf-8") as f:
            f.write(CONF.format(dir=folder, port=self.port))
        with open(os.path.join(folder, "named.log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["named", "-g", "-n", "1", "-c", conf], stdout=log, stderr=log)

    def update(self, *lines):
        """Lines of nsupdate(1), in one transaction; False: it is not there, or refuses."""
        text = "\n".join((f"server 127.0.0.1 {self.port}", "zone example.com") + lines + ("send", ""))
        return subprocess.run(["nsupdate", "-t", "5"], input=text, text=True, check=False, capture_output=True).returncode == 0

    def end(self):
        self.process.terminate()
        self.process.wait(service.PATIENCE)


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    origins = Origins([f"127.0.0.{i}" for i in range(1, 5)])
    dns = Bind(args.dir, origins)
    until("BIND serves", lambda: dns.process.poll() is not None or dns.update("update add up.example.com. 1 A 127.0.0.1"))
    if dns.process.poll() is not None:
        with open(os.path.join(args.dir, "named.log"), encoding="utf-8") as f:
            raise SystemExit(f.read()[-2000:])
    w = World(args, TEXT, dns=dns.port, port=origins.port, payload=512)
    has = lambda backend: sorted(a for a in w.addresses(backend) if a != "-")
    until("servers get the addresses behind an alias", lambda: has("b") == ["127.0.0.1", "127.0.0.2"])
    until("and the host of a service", lambda: has("api") == ["127.0.0.3"])
    traffic = Traffic(w)
    now = {"127.0.0.1", "127.0.0.2"}
    for old, new in (("1", "3"), ("2", "4"), ("3", "1"), ("4", "2")):
        check("a record is replaced", dns.update(f"update delete app.example.com. A 127.0.0.{old}",
                                                 f"update add app.example.com. 1 A 127.0.0.{new}"))
        now = now - {"127.0.0." + old} | {"127.0.0." + new}
        until(f"servers have {sorted(now)}", lambda now=now: has("b") == sorted(now))
        before = origins.requests["127.0.0." + new]
        until("the new one serves", lambda before=before, new=new: origins.requests["127.0.0." + new] > before)
    traffic.end("no request fails while records change")
    service_line = f"_http._tcp.api.example.com. 1 SRV 2 500 {origins.port} y.example.com."
    check("the service gets a second host", dns.update("update add " + service_line))
    until("a server stands for it", lambda: has("api") == ["127.0.0.3", "127.0.0.4"])
    check("which leaves", dns.update("update delete " + service_line))
    until("the server, too", lambda: has("api") == ["127.0.0.3"])
    check("fifty addresses", dns.update(*(f"update add many.example.com. 1 A 127.0.2.{i}" for i in range(1, 51))))
    until("do not fit into 512 bytes and come over TCP", lambda: len(has("many")) == 50)
    check("as the counts say", w.counts()["ns1"]["truncated"] > 0)
    traffic = Traffic(w)
    dns.end()
    before = w.counts()["ns1"]["timeout"]
    until("BIND is dead", lambda: w.counts()["ns1"]["timeout"] > before + 3)
    check("servers keep their addresses", has("b") == sorted(now))
    traffic.end("no request fails meanwhile")
    w.end()
    service.finish()


main()
