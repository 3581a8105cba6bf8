# SPDX-License-Identifier: BSD-2-Clause
"""Clients that ask, are silent until penstock says that their connections rest, and ask again.

    resting.py FRONT STATS-SOCKET HOW-MANY-REST-AT-LEAST
"""
import http.client
import ssl
import sys
import time

import service
from sockets import any_server

PATIENCE = 120
HOST, PORT = sys.argv[1].rsplit(":", 1)


def info(field):
    said = service.ask(sys.argv[2], "show info")
    return int(next(line.split(":")[1] for line in said.splitlines() if line.startswith(field + ":")))


def client(version):
    context = any_server(version=version)
    conn = http.client.HTTPSConnection(HOST, int(PORT), context=context, timeout=PATIENCE)
    conn.connect()
    return conn


def ask(conn, body):
    conn.request("POST", "/", body=body)
    response = conn.getresponse()
    return response.read().decode(), response.getheader("facts")


def all_rest(many):
    end = time.monotonic() + PATIENCE
    while info("RestingTlsConns") < many:
        if time.monotonic() > end:
            sys.exit("they do not rest")
        time.sleep(0.1)


clients = [client(v) for v in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3) for _ in range(2)]
before = [ask(c, b"x" * 10) for c in clients]
all_rest(int(sys.argv[3]))
after = [ask(c, b"x" * 10000) for c in clients]
for (text, facts), (_, facts_before) in zip(after, before):
    if text != "10000 TLSv1.3" or facts != facts_before or not facts.startswith("TLSv1."):
        sys.exit(f"'{text}', '{facts}'; before '{facts_before}'")
all_rest(int(sys.argv[3]))
clients[0].sock.unwrap().close()
for c in clients[1:]:
    c.close()
