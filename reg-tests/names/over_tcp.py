# SPDX-License-Identifier: BSD-2-Clause
"""Name servers that are asked over TCP, by the words behind their addresses; see over_tcp.sh."""
import argparse
import os
import ssl
import threading

import nameserver
import service
from names_world import Client, Origins
from origin import serve_each
from service import check, until

TEXT = """global
	httpclient.resolvers.id dns
	httpclient.retries 0
resolvers dns
	nameserver ns {server}
	timeout retry {retry}
	resolve_retries 1000
	hold valid 0
frontend f
	bind {front}
	http-request do-resolve(txn.ip,dns,ipv4) req.hdr(host)
	http-request return status 200 content-type text/plain lf-string "%[var(txn.ip)]"
"""


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir", "certs":
        p.add_argument("--" + name)
    args = p.parse_args()
    port = Origins(["127.0.0.2"]).port
    zone = {"a.test": ["127.0.0.2"], **{f"n{i}.test": ["127.0.0.2"] for i in range(100)}}

    def world(server, retry="2s"):
        return Client(args, TEXT, server=server, retry=retry)

    plain = nameserver.NameServer(zone, port=0)
    w = world(f"localhost:{plain.port}")
    check("a name server may be the name of a host", w.get("a.test", port)[0] == "127.0.0.2" and not plain.peers)
    w.end()
    for address in f"tcp@localhost:{plain.port}", f"stream+ipv4@127.0.0.1:{plain.port}":
        plain.peers.clear()
        w = world(address)
        check(f"asked over TCP: {address}", w.get("a.test", port)[0] == "127.0.0.2" and plain.peers == ["127.0.0.1"])
        w.end()

    path = os.path.join(args.dir, "dns")
    serve_each(path, plain.serve)
    w = world(f"stream+unix@{path}")
    check("over a Unix socket", w.get("a.test", port)[0] == "127.0.0.2")
    w.end()

    plain.peers.clear()
    w = world(f"tcp@127.0.0.1:{plain.port} source 127.0.0.9")
    check("its connections come from where 'source' says", w.get("a.test", port)[0] == "127.0.0.2" and
          plain.peers == ["127.0.0.9"])
    w.end()

    for words, most, asked in ("", 2, 100), (" maxconn 1", 1, 64):
        many_at_once(plain, world(f"tcp@127.0.0.1:{plain.port}{words}", retry="500ms"), most, asked)
    one_stays_silent(plain, world)
    if args.certs:
        by_tls(args, zone, port, world)
    service.finish()


def many_at_once(ns, w, most, asked):
    """A hundred questions, while nobody answers: a connection takes 64 of them."""
    until("connections are closed when nothing is under way", lambda: not ns.open)
    ns.silent, ns.most = True, 0
    ns.asked.clear()
    clients = [service.connect(w.front) for _ in range(100)]
    for i, s in enumerate(clients):
        s.sendall(f"GET / HTTP/1.1\r\nHost: n{i}.test\r\nConnection: close\r\n\r\n".encode())
    until(f"{asked} names are asked for at once", lambda: len(ns.asked) >= asked)
    ns.silent = False
    good = sum(service.read_all(s).endswith(b"127.0.0.2") for s in clients)
    check(f"a hundred names are found: {good}", good == 100)
    check(f"over {most} connections at most: {ns.most}", ns.most == most)
    w.end()


def one_stays_silent(ns, world):
    """The other end of the first connection has gone without a word."""
    asked, first = [], threading.Lock()

    def serve(conn):
        if first.acquire(blocking=False):
            while data := conn.recv(4096):
                asked.append(data)
        else:
            ns.serve(conn)

    listener = serve_each("127.0.0.1:0", serve)
    w = world(f"tcp@127.0.0.1:{listener.getsockname()[1]}", retry="200ms")
    clients = []
    for i in range(3):
        clients.append(service.connect(w.front))
        clients[-1].sendall(f"GET / HTTP/1.1\r\nHost: n{i}.test\r\nConnection: close\r\n\r\n".encode())
        until("a name is asked for, over a connection that stays silent", lambda: len(asked) > i)
    good = sum(service.read_all(s).endswith(b"127.0.0.2") for s in clients)
    check(f"{good} of three names are found over another connection", good == 3)
    w.end()


def by_tls(args, zone, port, world):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(args.certs, "dns.pem"))
    names = []
    context.sni_callback = lambda s, name, c: names.append(name)
    ns = nameserver.NameServer(zone, port=0, context=context)
    words = f"tcp@127.0.0.1:{ns.port} ssl verify required sni str(dns.test) ca-file {args.certs}"
    w = world(f"{words}/ca.pem")
    check("a name server is asked by TLS", w.get("a.test", port)[0] == "127.0.0.2")
    check("by the name that 'sni' says", set(names) == {"dns.test"})
    check("both questions over one connection", len(ns.peers) == 1)
    w.end()
    before = sum(ns.asked.values())
    w = world(f"{words}/other.pem", retry="200ms")
    s = service.connect(w.front)
    s.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
    until("one whose certificate is of another authority is given up", lambda: w.counts()["ns"]["snd_error"] >= 2)
    s.close()
    check("and asked for nothing", sum(ns.asked.values()) == before)
    check("which the log tells", "resolvers 'dns', name server 'ns': TLS handshake failed: " in w.logged())
    w.end()


main()
