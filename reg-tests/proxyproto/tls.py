# SPDX-License-Identifier: BSD-2-Clause
"""What tls.sh describes."""

import socket
import ssl
import sys

from sockets import any_server
port, header, tls = int(sys.argv[1]), sys.argv[2], sys.argv[3]
s = socket.create_connection(("127.0.0.1", port), timeout=60)
if header != "-":
    s.sendall(bytes.fromhex(header[1:]) if header[0] == "x" else header.encode() + b"\r\n")
if tls == "tls":
    context = any_server()
    context.set_alpn_protocols(["http/1.1"])
    if len(sys.argv) > 4:
        context.load_cert_chain(sys.argv[4], sys.argv[5])
    s = context.wrap_socket(s, server_hostname="www.example.com")
s.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
got = b""
while True:
    try:
        piece = s.recv(4096)
    except (ssl.SSLError, ConnectionError):
        break
    if not piece:
        break
    got += piece
print(got.split(b"\r\n\r\n", 1)[-1].decode().strip())
