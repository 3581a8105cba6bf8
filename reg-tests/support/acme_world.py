# SPDX-License-Identifier: BSD-2-Clause
"""Pebble as the authority, with names of its own that lead here, and a penstock that asks it."""
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys

import service
from service import ask, until

DOMAINS = "a.example,b.example"


class Pebble:
    """An authority on a port of its own; challenges are looked for on the ports http and tls."""

    def __init__(self, folder, http, tls, port=None, dns=True, **environment):
        self.folder, self.port = folder, port or service.free_ports(1)[0]
        management, names, manage_names = service.free_ports(3)
        self.management = f"https://127.0.0.1:{management}"
        self.url = f"https://127.0.0.1:{self.port}/dir"
        self.log_path = os.path.join(folder, f"pebble.{self.port}.log")
        path = os.path.join(folder, f"pebble.{self.port}.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"pebble": {"listenAddress": f"127.0.0.1:{self.port}",
                                  "managementListenAddress": f"127.0.0.1:{management}",
                                  "certificate": os.path.join(folder, "certs/directory.crt"),
                                  "privateKey": os.path.join(folder, "certs/directory.key"),
                                  "httpPort": http, "tlsPort": tls, **environment.pop("words", {})}}, f)
        self.names = subprocess.Popen(
            ["pebble-challtestsrv", "-defaultIPv6", "", "-http01", "", "-https01", "", "-tlsalpn01", "",
             "-dns01", f"127.0.0.1:{names}", "-management", f"127.0.0.1:{manage_names}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) if dns else None
        self.log = open(self.log_path, "a", encoding="utf-8")
        self.process = subprocess.Popen(
            ["pebble", "-config", path] + (["-dnsserver", f"127.0.0.1:{names}"] if dns else []),
            stdout=self.log, stderr=self.log, env={**os.environ, "PEBBLE_VA_NOSLEEP": "1", **environment})
        until("the authority is there", lambda: service.connect(f"127.0.0.1:{self.port}").close() is None)

    def said(self, text):
        with open(self.log_path, encoding="utf-8") as f:
            return f.read().count(text)

    def end(self):
        for process in self.process, self.names:
            if process:
                process.terminate()
                process.wait(service.PATIENCE)
        self.log.close()


def issuer(der):
    """Its common name: of the names in a certificate the first one is the issuer's."""
    at = der.index(b"\x06\x03\x55\x04\x03") + 6  # the type of the name, the type of a string, its length
    return der[at + 1:at + 1 + der[at]]


class World:
    """A penstock: text of its configuration with %(...)s for what it knows."""

    def __init__(self, folder, penstock, workers=2):
        self.folder, self.penstock, self.workers = folder, penstock, workers
        self.http, self.tls = service.free_ports(2)
        self.stats = os.path.join(folder, "stats.sock")
        self.pem = os.path.join(folder, "site.pem")
        self.cfg, self.log = os.path.join(folder, "cfg"), os.path.join(folder, "log")
        self.process = None

    def configure(self, url, acme="", line=None, rules=True, extra_global=""):
        answer = ('http-request return status 200 content-type text/plain lf-string '
                  '"%[path,field(-1,/)].%[path,field(-1,/),map(virt@acme)]" '
                  'if { path_beg /.well-known/acme-challenge/ }')
        with open(self.cfg, "w", encoding="utf-8") as f:
            f.write(f"""global
	stats socket {self.stats} level admin
	nbproc {self.workers}
	httpclient.ssl.ca-file {self.folder}/certs/ca.pem
	httpclient.retries 0
	log stderr format raw local0
	{extra_global}
acme le
	directory {url}
	account-key {self.folder}/account.key
	{acme}
crt-store web
	{line or f'load crt {self.pem} alias site acme le domains "{DOMAINS}"'}
defaults
	mode http
	timeout client 20s
	timeout server 20s
	timeout connect 20s
frontend plain
	bind 127.0.0.1:{self.http}
	{answer if rules else ""}
	http-request return status 200
frontend secure
	bind 127.0.0.1:{self.tls} ssl crt @web/site
	http-request return status 200
""")

    def start(self, *words, **how):
        self.out = open(self.log, "a", encoding="utf-8")
        self.process = subprocess.Popen([self.penstock, "-db", "-f", self.cfg, *words], stdin=subprocess.DEVNULL,
                                        stdout=self.out, stderr=self.out, **how)
        return until("penstock serves", lambda: "Version" in self.ask("show info"))

    def ask(self, command):
        return ask(self.stats, command)

    def logged(self, text):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return len(re.findall(text, f.read()))

    def log_text(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def status(self):
        """The row of "acme status": a dictionary by the names of its columns."""
        head, *rows = self.ask("acme status").splitlines()
        return dict(zip(head.lstrip("# ").split("\t"), rows[0].split("\t")))

    def served(self, name="a.example"):
        """The certificate that clients get, in DER."""
        ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        ctx.check_hostname, ctx.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", self.tls), service.PATIENCE) as s:
            with ctx.wrap_socket(s, server_hostname=name) as t:
                return t.getpeercert(True)

    def issuers(self, times=12):
        """Of many connections, so that each worker has answered some."""
        return {issuer(self.served()) for _ in range(times)}

    def ordered(self):
        """All workers serve what the authority has signed."""
        return all(b"Pebble" in name for name in self.issuers())

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="utf-8") as f:
            return [int(pid) for pid in f.read().split()]

    def end(self):
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(service.PATIENCE)
        self.process = None
        self.out.close()

    def finish(self, *others):
        """The end of a test: all end, and where something failed the log tells of it."""
        self.end()
        for other in others:
            other.end()
        if service.failures:
            sys.stdout.write(self.log_text())
        service.finish()
