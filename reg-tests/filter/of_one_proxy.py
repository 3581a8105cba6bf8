# SPDX-License-Identifier: BSD-2-Clause
"""What of_one_proxy.sh describes."""

from origin import serve_each
from service import Service, check, connect, finish, read_all

svc = Service()


serve_each(svc.args.back, lambda s: s.sendall(s.recv(100)))
for i in range(5):
    with connect(svc.args.front) as s:
        s.sendall(b"x")
        check("a stream passes", read_all(s) == b"x")
pool = [line for line in svc.ask("show pools").splitlines() if " filters " in line]
check(f"no filters were made: {pool}", all(" 0 allocated" in line for line in pool))
finish()
