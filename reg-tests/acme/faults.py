# SPDX-License-Identifier: BSD-2-Clause
"""Authorities that are dead, slow, out of their mind or do not trust us: the old certificate serves
on, and the log says what is wrong; see faults.sh."""
import argparse
import http.client
import http.server
import json
import os
import signal
import ssl
import threading

import service
from acme_world import DOMAINS, Pebble, World
from service import check, until


class Directory(http.server.BaseHTTPRequestHandler):
    """Answers every request with what the test has set."""
    protocol_version = "HTTP/1.1"
    body, status, fields, cut = b"", 200, {}, False

    def do_GET(self):
        cls = type(self)
        self.send_response(cls.status)
        for name, value in {"content-length": str(len(cls.body)), **cls.fields}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(cls.body[:len(cls.body) // 2] if cls.cut else cls.body)
        except OSError:
            pass
        if cls.cut:
            self.close_connection = True

    do_HEAD = do_POST = do_GET

    def log_message(self, *_):
        pass


class Between(http.server.BaseHTTPRequestHandler):
    """Hands each request to the authority; in place of a chain it answers a block that is
    encrypted."""
    protocol_version = "HTTP/1.1"
    authority = 0
    chain = (b"-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," + b"0" * 32 +
             b"\n\nAAAA\n-----END CERTIFICATE-----\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        conn = http.client.HTTPSConnection("127.0.0.1", self.authority, context=ssl._create_unverified_context())
        conn.request(self.command, self.path, body, dict(self.headers))
        answer = conn.getresponse()
        body = answer.read()
        if self.path.startswith("/certZ/"):
            body = self.chain
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "date", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")
        conn.close()

    do_HEAD = do_GET = do_POST

    def log_message(self, *_):
        pass


def directory(folder, handler=Directory):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ctx.load_cert_chain(folder + "/certs/directory.crt", folder + "/certs/directory.key")
    server.socket = ctx.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls)
    w.configure(pebble.url)
    w.start()
    until("there is a first certificate", w.ordered)
    before = w.served()
    saved = open(w.pem, encoding="utf-8").read()

    def again(what, sentence):
        """Orders once more; it fails with that sentence (a pattern), and nothing is lost by it."""
        known = w.logged(sentence)
        until(f"{what}: an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
        until(f"{what}: the log says what is wrong", lambda: w.logged(sentence) > known)
        until(f"{what}: it is not under way any more", lambda: w.status()["state"] == "Scheduled")
        check(f"{what}: the old certificate serves on", w.served() == before and
              open(w.pem, encoding="utf-8").read() == saved)

    # An authority that cannot be reached, and one that is not trusted.
    pebble.end()
    again("dead", "asked for its directory, but no connection to it can be made.*tried again in.*valid until")
    check("the next try is told", w.status()["failures"] == "1" and "no connection" in w.status()["last failure"])
    server = directory(args.dir)
    url = f"https://127.0.0.1:{server.server_port}/dir"
    w.end()
    w.configure(url)
    w.start()
    check("failures outlast a restart", w.status()["failures"] == "1")
    w.end()
    w.configure(url, f"\nacme other\n\tdirectory {url}\n\taccount-key {w.folder}/account.key",
                f'load crt {w.pem} alias site acme le domains "{DOMAINS}"\n'
                f"\tload crt {w.folder}/other.pem alias other acme other domains c.example")
    w.start()
    until("those of two sections with one account, too",
          lambda: {line.split()[2] for line in open(w.folder + "/.account.key.state", encoding="utf-8")} ==
                  {"@web/site", "@web/other"})

    # Answers without sense.
    good = {f"new{name}": url + name for name in ("Nonce", "Account", "Order")}
    for what, body, fields, sentence in (
            ("garbage", b"\x00\xff{[", {}, "is no directory of an ACME authority"),
            ("an empty answer", b"", {}, "is no directory of an ACME authority"),
            ("a huge answer", b"{" + b" " * 300000, {}, "is longer than 262144 bytes"),
            ("a deep answer", b"[" * 100000, {}, "is no directory"),
            ("an account without place", json.dumps(good).encode(), {"replay-nonce": "n"},
             "asked for an account, and its answer is not what RFC 8555 says"),
            ("no nonce", json.dumps(good).encode(), {}, r"gives no nonce \(Replay-Nonce\)")):
        Directory.body, Directory.fields = body, fields
        again(what, sentence)
    Directory.status, Directory.body = 403, b'{"type":"urn:ietf:params:acme:error:unauthorized","detail":"go \\u0007away"}'
    again("a refusal", r"refuses: unauthorized: go \?away \(HTTP status 403\)")
    Directory.status, Directory.fields = 503, {"retry-after": "200000"}
    again("an overloaded one", "tried again in 55 hours")
    server.shutdown()
    w.end()

    # A chain that is encrypted: nobody is asked for a passphrase. Refused nonces would be encrypted, too.
    pebble = Pebble(args.dir, w.http, w.tls, PEBBLE_WFE_NONCEREJECT="0")
    Between.authority = pebble.port
    server = directory(args.dir, Between)
    w.configure(f"https://127.0.0.1:{server.server_port}/dir")
    w.start()
    again("an encrypted chain", "what came cannot be read as a certificate: the certificate is encrypted: nobody")
    server.shutdown()
    w.end()
    pebble.end()

    # A challenge that does not arrive: the authority looks where nobody listens.
    elsewhere = service.free_ports(2)
    pebble = Pebble(args.dir, *elsewhere)
    w.configure(pebble.url)
    w.start()
    again("a challenge that is not answered", "could not verify '[ab].example': connection: .*on port 80")
    # Whoever asks dies in the middle: another goes on, and counts that as a failure.
    failures = int(w.status()["failures"])
    pebble.process.send_signal(signal.SIGSTOP)
    until("an order begins", lambda: "begins" in w.ask("acme renew @web/site"))
    until("it is under way", lambda: w.status()["state"] == "Running")
    for pid in w.children():
        os.kill(pid, signal.SIGKILL)
    until("another process is told of it", lambda: w.logged("has ended in the middle of it") > 0)
    pebble.process.send_signal(signal.SIGCONT)
    until("and counts it", lambda: int(w.status()["failures"]) > failures)
    check("with the certificate of before", w.served() == before)
    w.finish(pebble)


main()
