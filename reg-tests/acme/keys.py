# SPDX-License-Identifier: BSD-2-Clause
"""keytype, curves, bits, reuse-key and profile, each by what it does; see keys.sh. What the
authority is asked passes a relay that can read it."""
import argparse
import base64
import http.client
import http.server
import json
import os
import ssl
import subprocess
import threading

from acme_world import Pebble, World
from service import check, until


class Relay(http.server.ThreadingHTTPServer):
    """In front of an authority: .orders has what was ordered."""

    def __init__(self, folder, to):
        super().__init__(("127.0.0.1", 0), Passing)
        self.to, self.orders = to, []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, "certs/directory.crt"), os.path.join(folder, "certs/directory.key"))
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server_address[1]}/dir"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if body:
            payload = json.loads(body)["payload"]
            said = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)) or b"null")
            if said and "identifiers" in said:
                self.server.orders.append(said)
        there = http.client.HTTPSConnection("127.0.0.1", self.server.to, context=ssl._create_unverified_context())
        there.request(self.command, self.path, body, dict(self.headers))
        answer = there.getresponse()
        got = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(got)))
        self.end_headers()
        self.wfile.write(got)
        there.close()

    do_GET = do_HEAD = do_POST = pass_on

    def log_message(self, *_):
        pass


def openssl(*words, **how):
    return subprocess.run(["openssl", *words], stdout=subprocess.PIPE, check=True, **how).stdout.decode()


def key_of(der):
    """Its public key, and what is said of that."""
    public = openssl("x509", "-inform", "DER", "-noout", "-pubkey", input=der)
    return public, openssl("pkey", "-pubin", "-noout", "-text", input=public.encode())


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls)
    relay = Relay(args.dir, pebble.port)

    def ordered(words):
        for name in "site.pem", "account.key", ".account.key.state":
            if os.path.exists(os.path.join(args.dir, name)):
                os.unlink(os.path.join(args.dir, name))
        relay.orders.clear()
        w.configure(relay.url, words)
        w.start()
        until(f"a certificate comes: {words or 'nothing is said'}", w.ordered)
        return key_of(w.served())

    def renewed():
        before = w.served()
        w.ask("acme renew @web/site")
        until("and another one", lambda: len({w.served() for _ in range(12)} | {before}) == 2 and w.served() != before)
        return key_of(w.served())

    for words, sign in (("", "NIST CURVE: P-384"), ("curves P-256", "NIST CURVE: P-256"), ("curves P-521", "NIST CURVE: P-521"),
                        ("keytype RSA", "Public-Key: (2048 bit)"), ("keytype RSA\n\tbits 3072", "Public-Key: (3072 bit)")):
        key = ordered(words)
        check(f"its key is what the words say: {sign}", sign in key[1])
        if not words:
            check("no profile is ordered", relay.orders and all("profile" not in order for order in relay.orders))
            check("each certificate has a key of its own", renewed()[0] != key[0])
        w.end()
    key = ordered("reuse-key on\n\tprofile shortlived")
    # An authority that refuses a nonce is asked again.
    first = len(relay.orders)
    check("the order names the profile", first and all(o.get("profile") == "shortlived" for o in relay.orders))
    check("'reuse-key on' keeps the key", renewed()[0] == key[0])
    check("the second order names it, too", len(relay.orders) > first and
          all(o.get("profile") == "shortlived" for o in relay.orders))
    w.end()
    w.start()
    check("a restart finds it", w.ordered() and key_of(w.served())[0] == key[0])
    check("and still keeps the key", renewed()[0] == key[0])
    w.finish(pebble)


main()
