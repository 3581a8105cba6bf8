# SPDX-License-Identifier: BSD-2-Clause
"""The exchanges of probes_around.sh: see there."""
import probes
import service
from probes import exchange, request
from service import finish, until
from sockets import any_server

BACKENDS = "be", "tls", "header", "filters", "redispatch"
SERVICES = "/stats", "/metrics"


def wrap():
    context = any_server()
    return lambda s: context.wrap_socket(s, server_hostname="www.example.com")


def plain(walk):
    front = walk.it.args.front
    for name, pieces in {
        "TLS to the server": [request("GET", "/tls")],
        "a PROXY header to the server": [request("GET", "/header")],
        "filters": [request("GET", "/filters", "Accept-Encoding: gzip\r\n")],
        "another server": [request("GET", "/redispatch", "Cookie: S=dead\r\n")],
        "an upgraded connection": [request("GET", "/upgrade", "Connection: upgrade\r\nUpgrade: echo\r\n", close=False),
                                   b"hello"],
        "return": [request("GET", "/return")],
    }.items():
        deeds = ("end",) if name == "return" else ("end", "down")
        walk.all(name, deeds, lambda: exchange(front, pieces, half=name.startswith("an upgraded")))


def tls(walk):
    secure = wrap()
    for name, pieces in {
        "TLS": [request("GET", "/")],
        "TLS, kept": [request("GET", "/large", close=False), request("GET", "/")],
        "TLS on both sides": [request("GET", "/tls")],
    }.items():
        walk.all(name, ("end", "down"), lambda: exchange(walk.it.args.tls, pieces, wrap=secure))


def ok_or_begin(got, _):
    """What they say differs each time."""
    return got.startswith(probes.OK[:15]) or probes.OK.startswith(got[:15])


def services(walk):
    for path in SERVICES:
        walk.all(path, ("end",), lambda: exchange(walk.it.args.front, [request("GET", path)]), right=ok_or_begin,
                 complete=lambda got, _: got.startswith(probes.OK[:15]) and got.endswith(b"0\r\n\r\n"))


class Conversations(probes.Walk):
    """On the stats socket: who arms a probe may be the one that passes it, and who asks what came
    of it, too."""

    def probe(self, words):
        try:
            return super().probe(words)
        except ConnectionError:
            return None if words else "0 done"


def conversations(it):
    commands = b"show info;show stat;set server be/s weight 50%;show sess all\n"
    walk = Conversations(it, BACKENDS)
    walk.all("a conversation", ("end sockets",), lambda: exchange(it.args.stats, [commands], half=True),
             right=lambda *_: True, complete=lambda got, _: b"Name: HAProxy" in got and b"# pxname" in got)


class Workers(probes.Walk):
    """Any of them may have the exchange."""

    def probe(self, words):
        return [self.it.parent(f"expert-mode on; @{n} debug dev probe{words}") for n in (1, 2)]

    def done(self):
        return sum(int(said.split()[-2]) for said in self.probe(""))


def main():
    def options(parser):
        parser.add_argument("--tls")
        parser.add_argument("--workers", action="store_true")
    it = service.Service(options)
    probes.serve_all(it.args.back)
    if it.args.workers:
        walk = Workers(it, ["be"])
        walk.all("two workers", ("end", "down"), lambda: exchange(it.args.front, [request("GET", "/")]))
        until("none of the workers has anything left", lambda: probes.nothing_left(it, ["be"], ["fe"]))
        finish()
    walk = probes.Walk(it, BACKENDS)
    walk.repair()
    plain(walk)
    tls(walk)
    services(walk)
    conversations(it)
    until("no session or stream is left", lambda: probes.nothing_left(it, BACKENDS, ["fe", "inner"]))
    finish()


main()
