# SPDX-License-Identifier: BSD-2-Clause
"""What filter_half_closed.sh describes."""

import socket
import threading

from service import Service, address, check, connect, finish, read_all

svc = Service()


def answer(listener):
    while True:
        s, _ = listener.accept()
        asked = read_all(s)
        s.sendall(b"answer to " + asked)
        s.close()


listener = socket.create_server(address(svc.args.back))
threading.Thread(target=answer, args=(listener,), daemon=True).start()
for i in range(5):
    with connect(svc.args.front) as s:
        s.sendall(b"x")
        s.shutdown(socket.SHUT_WR)
        said = read_all(s)
        check(f"the answer comes: {said}", said == b"answer to x")
finish()
