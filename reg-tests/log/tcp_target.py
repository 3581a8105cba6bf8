# SPDX-License-Identifier: BSD-2-Clause
"""What tcp_target.sh describes."""

import socket

from service import Service, address, check, connect, finish, read_all

service = Service("where")
collector = socket.socket()
collector.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
collector.bind(address(service.args.where))
collector.listen(10)
collector.settimeout(60)


def once():
    """A connection that is rejected: its line."""
    with connect(service.args.front) as s:
        port = s.getsockname()[1]
        read_all(s)
    return f"<6>line {port} 0\n".encode()


def read(s, n):
    got = b""
    while len(got) < n and (piece := s.recv(n - len(got))):
        got += piece
    return got


for turn in 1, 2:
    want = [once()]
    s, _ = collector.accept()
    s.settimeout(60)
    want.append(once())
    s.sendall(b"ignored" * 1000)
    want += [once() for _ in range(20)]
    got = read(s, len(b"".join(want)))
    check(f"connection {turn}: {len(want)} lines, whole and in order", got == b"".join(want))
    if got != b"".join(want):
        print(got)
    s.close()
finish()
