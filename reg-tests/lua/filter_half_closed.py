# SPDX-License-Identifier: BSD-2-Clause
"""What filter_half_closed.sh describes."""

import socket

from origin import serve_each
from service import Service, check, connect, finish, read_all

svc = Service()


serve_each(svc.args.back, lambda s: s.sendall(b"answer to " + read_all(s)))
for i in range(5):
    with connect(svc.args.front) as s:
        s.sendall(b"x")
        s.shutdown(socket.SHUT_WR)
        said = read_all(s)
        check(f"the answer comes: {said}", said == b"answer to x")
finish()
