# SPDX-License-Identifier: BSD-2-Clause
"""The client of broken_off.sh."""

import socket
import ssl
import sys

from sockets import any_server, reset

front, back = map(int, sys.argv[1:])
listener = socket.create_server(("127.0.0.1", back))
listener.settimeout(50)
bad = 0
for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
    context = any_server(version=version)
    client = context.wrap_socket(socket.create_connection(("127.0.0.1", front)))
    client.settimeout(50)
    client.sendall(b"hello")
    server, _ = listener.accept()
    server.settimeout(50)
    server.recv(100)
    server.sendall(b"world")
    got = client.recv(100)
    reset(server)
    plain = socket.socket(fileno=client.detach())
    plain.settimeout(50)
    try:
        end = plain.recv(100)
    except OSError as e:
        end = e
    print("       ", version.name, got, repr(end))
    bad += got != b"world" or not isinstance(end, ConnectionResetError)
sys.exit(bad)
