# SPDX-License-Identifier: BSD-2-Clause
"""What addr_idle.sh describes."""

from http1 import Reader
from service import Service, check, connect, finish, until

service = Service("new")
old, new = service.args.back, service.args.new
CLIENTS = 16


def body(s, path):
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return answer(s)


def answer(s):
    return Reader(s).message()[1].decode()


def waiting(backend):
    """Connections that wait at the server, of all workers."""
    row = service.stat(backend, "s")
    return int(row["srv_icur"])


def moves(backend, to):
    host, port = to.rsplit(":", 1)
    service.ask(f"set server {backend}/s addr {host} port {port}")
    until("both workers have heard it", lambda: all(
        f" s {host} " in service.worker(n, f"show servers state {backend}") and
        f" {port} " in service.worker(n, f"show servers state {backend}") for n in (1, 2)))


service.settle()
for backend in "never", "safe", "aggressive", "always", "h2":
    # Those of backends that came before.
    others = {name: int(service.stat(name, "FRONTEND")["scur"]) for name in ("old", "new")}
    clients = [connect(service.args.front) for _ in range(CLIENTS)]
    for here, there, name, other in (old, new, "old", "new"), (new, old, "new", "old"):
        said = {body(s, f"/{backend}/") for _ in range(3) for s in clients}
        check(f"{backend}: requests go to the {name} address", said == {name})
        if backend != "never":
            check(f"{backend}: connections wait there: {waiting(backend)}", waiting(backend) > 0)
        posting = clients[0]
        posting.sendall(f"POST /{backend}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na".encode())
        until(f"{backend}: a request is there", lambda: service.stat(backend, "s")["scur"] == "1")
        moves(backend, there)
        until(f"{backend}: none waits there any more", lambda: waiting(backend) == 0)
        posting.sendall(b"b")
        check(f"{backend}: what was under way ends there", answer(posting) == name)
        until(f"{backend}: and its connection does not wait", lambda:
              service.stat(backend, "s")["scur"] == "0" and waiting(backend) == 0)
        said = [body(s, f"/{backend}/") for _ in range(3) for s in clients]
        said += [body(connect(service.args.front), f"/{backend}/") for _ in range(CLIENTS)]
        check(f"{backend}: {len(said)} requests go to the {other} one", set(said) == {other})
        until(f"{backend}: nobody is at the {name} one any more", lambda:
              int(service.stat(name, "FRONTEND")["scur"]) <= others[name])
service.sound()
finish()
