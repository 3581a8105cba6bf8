# SPDX-License-Identifier: BSD-2-Clause
"""What of_one_proxy.sh describes."""

import socket
import threading

from service import Service, address, check, connect, finish, read_all

svc = Service()


def answer(listener):
    while True:
        s, _ = listener.accept()
        s.sendall(s.recv(100))
        s.close()


listener = socket.create_server(address(svc.args.back))
threading.Thread(target=answer, args=(listener,), daemon=True).start()
for i in range(5):
    with connect(svc.args.front) as s:
        s.sendall(b"x")
        check("a stream passes", read_all(s) == b"x")
pool = [line for line in svc.ask("show pools").splitlines() if " filters " in line]
check(f"no filters were made: {pool}", all(" 0 allocated" in line for line in pool))
finish()
