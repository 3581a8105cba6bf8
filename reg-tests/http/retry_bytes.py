# SPDX-License-Identifier: BSD-2-Clause
"""See retry_bytes.sh."""

import socket

from service import Service, address, check, connect, finish, until

service = Service()


def came():
    return int(service.stat("be", "BACKEND")["bin"])


listener = socket.create_server(address(service.args.back))
with connect(service.args.front) as client:
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
    server = listener.accept()[0]
    until("the server has the request", lambda: server.recv(4096, socket.MSG_PEEK).endswith(b"body"))
    before = came()
    check(f"{before} bytes are counted", before > 40)
    listener.close()
    server.close()
    until("a retry finds nobody", lambda: int(service.stat("be", "s")["wretr"]) > 0)
    now = came()
    check(f"{now} bytes are counted still", now == before)
    listener = socket.create_server(address(service.args.back))
    server = listener.accept()[0]
    until("the server has the request again", lambda: server.recv(4096, socket.MSG_PEEK).endswith(b"body"))
    server.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    check("it is answered", client.recv(4096).startswith(b"HTTP/1.1 200"))
now = came()
check(f"the request is counted once: {now}", now == before)
finish()
