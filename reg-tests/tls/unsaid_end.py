# SPDX-License-Identifier: BSD-2-Clause
"""The client of unsaid_end.sh."""

import concurrent.futures
import socket
import ssl
import sys

from service import ask
from sockets import any_server, server_with

front, back, raw = map(int, sys.argv[1:4])
context = server_with(sys.argv[4])
logs = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
logs.bind(sys.argv[5])
logs.settimeout(50)
stats = sys.argv[6]
listener = socket.create_server(("127.0.0.1", back))
listener.settimeout(50)
BODY = b"x" * 5000


def serve(fields, body, says_so):
    server, _ = listener.accept()
    server.settimeout(50)
    server = context.wrap_socket(server, server_side=True)
    server.recv(65536)
    server.sendall(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n" + body)
    if says_so:
        try:
            server.unwrap()
        except OSError:
            pass
    socket.socket(fileno=server.detach()).close()


def exchange(minor, fields, body, says_so):
    """All that the client gets, and how it ends."""
    client = socket.create_connection(("127.0.0.1", front))
    client.settimeout(50)
    client.sendall(b"GET / HTTP/1.%d\r\nHost: a\r\nConnection: close\r\n\r\n" % minor)
    serve(fields, body, says_so)
    got = b""
    try:
        while data := client.recv(65536):
            got += data
        return got, None
    except OSError as e:
        return got, type(e)


CHUNKS = b"1388\r\n" + BODY + b"\r\n0\r\n\r\n"
bad = 0
for minor, fields, body, says_so, complete, state in (
    (1, b"", BODY, True, True, b"--"),
    (0, b"", BODY, True, True, b"--"),
    (1, b"", BODY, False, True, b"SD"),
    (0, b"", BODY, False, True, b"SD"),
    (1, b"Content-Length: 5000\r\n", BODY, False, True, b"--"),
    (1, b"Transfer-Encoding: chunked\r\n", CHUNKS, False, True, b"--"),
    (1, b"Content-Length: 5001\r\n", BODY, False, False, b"SD"),
    (1, b"Transfer-Encoding: chunked\r\n", CHUNKS[:-5], False, False, b"SD"),
):
    got, error = exchange(minor, fields, body, says_so)
    head, _, rest = got.partition(b"\r\n\r\n")
    if b"chunked" in head:
        was = rest.endswith(b"\r\n0\r\n\r\n")
    elif b"ength" in head:
        was = len(rest) == int(head.partition(b"ength: ")[2].split()[0])
    else:
        was = error is None
    logged = logs.recv(100).strip()
    good = was == complete and rest.count(b"x") == len(BODY) and logged == state
    bad += not good
    print("ok     " if good else "FAILED ", f"HTTP/1.{minor}", fields, "close_notify" if says_so else "-",
          "complete" if was else "broken off", error, logged)

with concurrent.futures.ThreadPoolExecutor() as pool:
    for says_so in True, False:
        asked = pool.submit(ask, stats, f"expert-mode on; httpclient GET https://127.0.0.1:{back}/")
        serve(b"", BODY, says_so)
        said = asked.result(50)
        good = said.count("x") >= len(BODY) and ("close_notify" in said) == (not says_so)
        bad += not good
        print("ok     " if good else "FAILED ", "httpclient", "close_notify" if says_so else "-", said[-100:])


def half_closed(version):
    """What the client is told behind its FIN without close_notify."""
    trusting = any_server(version=version)
    client = trusting.wrap_socket(socket.create_connection(("127.0.0.1", raw)),
                                  suppress_ragged_eofs=False)
    client.settimeout(50)
    client.sendall(b"hello")
    server, _ = listener.accept()
    server.settimeout(50)
    server.recv(100)
    server.sendall(b"world")
    client.recv(100)
    socket.socket.shutdown(client, socket.SHUT_WR)
    while server.recv(100):
        pass
    server.close()
    try:
        return client.recv(100)
    except OSError as e:
        return e


for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
    end = half_closed(version)
    bad += end != b""
    print("FAILED " if end else "ok     ", version.name, "the end of a half closed connection:", repr(end))
sys.exit(bad)
