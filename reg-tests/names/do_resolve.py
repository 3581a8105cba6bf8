# SPDX-License-Identifier: BSD-2-Clause
"""The action do-resolve, in both modes; see do_resolve.sh."""
import argparse
import re
import threading

import nameserver
import service
from names_world import Origins, World
from service import check, until

TEXT = """resolvers dns
	nameserver ns1 127.0.0.1:{dns}
	timeout retry 200ms
	resolve_retries 2
	hold valid {valid}
frontend f
	bind {front}
	{rule}
	http-request do-resolve(txn.ip,dns,ipv4) req.hdr(host),host_only if {{ path_beg /http }}
	http-request do-resolve(txn.six,dns) req.hdr(host),host_only if {{ path_beg /six }}
	http-request return status 200 content-type text/plain lf-string "%[var(txn.six)]" if {{ path_beg /six }}
	http-request return status 503 unless {{ var(txn.ip) -m found }}
	http-request set-dst var(txn.ip)
	default_backend b
backend b
	server clear 0.0.0.0:{port}
"""


def body_end(s):
    """An answer, without the end of the connection, which in mode tcp is the server's."""
    got = b""
    while piece := s.recv(65536):
        got += piece
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        if length and len(body) >= int(length[1]):
            break
    return got


def get(w, host, path="/http"):
    with service.connect(w.front) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        got = body_end(s).decode()
    return got.split("\r\n\r\n", 1)[1] if got.startswith("HTTP/1.1 200") else got.split()[1]


def main():
    p = argparse.ArgumentParser()
    for name in "penstock", "dir":
        p.add_argument("--" + name)
    args = p.parse_args()
    origins = Origins([f"127.0.0.{i}" for i in range(1, 5)])
    ns = nameserver.NameServer({"a.test": ["127.0.0.2"], "b.test": "a.test", "silent.test": nameserver.SILENT,
                                "v6.test": ["::1"], "both.test": ["127.0.0.3", "::1"]}, port=0)
    w = World(args, TEXT, dns=ns.port, port=origins.port, valid="1h", rule="")
    check("a name leads to its address", get(w, "a.test:80") == "127.0.0.2")
    check("an alias, too", get(w, "b.test") == "127.0.0.2")
    check("names in capitals are the same", get(w, "A.Test") == "127.0.0.2")
    check("an address is its own answer", get(w, "127.0.0.4") == "127.0.0.4")
    check("the family that is wanted comes first", get(w, "both.test") == "127.0.0.3")
    check("the other one where there is none", get(w, "v6.test", "/six") == "::1")
    check("ipv6 is wanted unless it is said", get(w, "both.test", "/six") == "::1")
    for host in "nx.test", "silent.test", "a..b", "-", "a" * 300:
        check(f"no address, no variable: {host[:20]}", get(w, host) == "503")
    asked = ns.asked["a.test", nameserver.A]
    ns.zone["a.test"] = ["127.0.0.3"]
    check("an answer is used again", get(w, "a.test") == "127.0.0.2" and ns.asked["a.test", nameserver.A] == asked)
    # Clients that leave, and many that wait for one name.
    gone = [service.connect(w.front) for _ in range(50)]
    for i, s in enumerate(gone):
        s.sendall(f"GET /http HTTP/1.1\r\nHost: silent.test\r\n\r\n".encode())
        if i % 2:
            s.close()
    said = []
    threads = [threading.Thread(target=lambda: said.append(get(w, "new.test"))) for _ in range(20)]
    ns.zone["new.test"] = ["127.0.0.2"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("many ask for one name at once", said == ["127.0.0.2"] * 20)
    check("which costs one question", ns.asked["new.test", nameserver.A] == 1)
    w.end()

    ns.zone["a.test"] = ["127.0.0.2"]
    w = World(args, TEXT, dns=ns.port, port=origins.port, valid="0", rule="")
    check("it has an address", get(w, "a.test") == "127.0.0.2")
    ns.zone["a.test"] = ["127.0.0.3"]
    check("without 'hold valid' each asks anew", get(w, "a.test") == "127.0.0.3")
    w.end()

    w = World(args, TEXT.replace("http-request do-resolve(txn.ip", "http-request set-var(txn.none) int(1) #"),
              dns=ns.port, port=origins.port, valid="1h",
              rule="tcp-request inspect-delay 1m\n\ttcp-request content do-resolve(txn.ip,dns,ipv4) str(a.test)")
    check("tcp-request content does the same", get(w, "x") == "127.0.0.3")
    w.end()

    tcp = TEXT.split("\t{rule}")[0] + "\tmode tcp\n\t{rule}\n\tdefault_backend b\nbackend b\n\tmode tcp\n" \
        "\tserver clear 0.0.0.0:{port}\n"
    w = World(args, tcp, dns=ns.port, port=origins.port, valid="1h",
              rule="tcp-request inspect-delay 1m\n\ttcp-request content do-resolve(txn.ip,dns,ipv4) str(a.test)\n"
              "\ttcp-request content set-dst var(txn.ip)")
    check("in mode tcp, too", get(w, "x") == "127.0.0.3")
    w.end()
    service.finish()


main()
