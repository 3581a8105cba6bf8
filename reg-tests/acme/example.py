# SPDX-License-Identifier: BSD-2-Clause
"""examples/acme.cfg with pebble; see example.sh."""
import argparse
import os
import socket

import service
from acme_world import Pebble, World
from service import check, until


def get(port, path):
    """Status and location of the answer to one request."""
    with socket.create_connection(("127.0.0.1", port), service.PATIENCE) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n".encode())
        head = service.read_all(s).decode().split("\r\n\r\n")[0].split("\r\n")
    fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:])}
    return head[0].split()[1], fields.get("location")


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "example":
        p.add_argument("--" + name)
    args = p.parse_args()
    w = World(args.dir, args.penstock)
    pebble = Pebble(args.dir, w.http, w.tls)
    os.environ.update(DIRECTORY=pebble.url, KEYS=args.dir, NAMES="a.example,b.example", HTTP=f"127.0.0.1:{w.http}",
                      HTTPS=f"127.0.0.1:{w.tls}", STATS_SOCKET=w.stats,
                      APP=f"127.0.0.1:{service.free_ports(1)[0]}")
    w.cfg = args.example
    extra = os.path.join(args.dir, "extra.cfg")
    with open(extra, "w", encoding="utf-8") as f:
        f.write(f"global\n\thttpclient.ssl.ca-file {args.dir}/certs/ca.pem\n")
    w.start("-f", extra)
    check("http leads to https", get(w.http, "/a?b") == ("301", "https://a.example/a?b"))
    check("a token that nobody knows is not found", get(w.http, "/.well-known/acme-challenge/x")[0] == "404")
    until("the authority's certificate is served", w.ordered)
    check("one process has a parent, which has written it", os.path.exists(w.pem) and len(w.children()) == 1)
    w.finish(pebble)


main()
