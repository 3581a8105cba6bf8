# SPDX-License-Identifier: BSD-2-Clause
"""The claims of together.sh."""
import re

from service import Service, check, connect, finish, read_all

service = Service()


def server_of(path):
    with connect(service.args.front) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        return re.search(r"x-server: (\w+)", read_all(s).decode())[1]


def reached():
    """How many servers of each backend get one of twenty requests, each of a connection."""
    return {algorithm: len({server_of(f"/{algorithm}/") for _ in range(20)})
            for algorithm in ("roundrobin", "static-rr", "leastconn")}


def claim(when):
    for algorithm, servers in reached().items():
        check(f"{algorithm}, {when}: {servers} of 20 servers", servers >= 15)


claim("at first")
claim("once more")
assert not service.ask("clear counters all").strip()
claim("with counters cleared")
assert "Success=1" in service.parent("reload")
claim("behind a reload")
finish()
