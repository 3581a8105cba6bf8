# SPDX-License-Identifier: BSD-2-Clause
"""What old_workers.sh describes."""

import os
import signal

from origin import Origin
from service import Service, check, connect, finish, read_all, until

service = Service()
back, front = service.args.back, service.args.front
origin = Origin(back)
head = open(service.cfg).read()
after = f"""frontend fe
	bind {front}
	use_backend %[path,field(2,/)]
backend rules
	server s1 {back}
	server s2 {back}
backend tracked
	server s1 {back} check inter 1m
	server s2 {back}
backend named
"""
before = (after.replace("use_backend %", "use_backend named if { path_beg /named }\n\tuse_backend %")
          .replace("backend rules\n", "backend rules\n\tuse-server s1 if TRUE\n")
          .replace(f"server s2 {back}\nbackend named\n", f"server s2 {back} track tracked/s1\nbackend named\n"))


def held_by(worker, path):
    """A connection that has sent a part of a request to this worker."""
    while True:
        s = connect(front)
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n".encode())
        until("a worker has it", lambda: sum(int(service.info(through=by)["CurrConns"]) for by in of) > len(held))
        if int(service.info(through=of[worker])["CurrConns"]) > sum(at == worker for at, _ in held):
            held.append((worker, s))
            return s
        s.close()
        until("it has gone", lambda: sum(int(service.info(through=by)["CurrConns"]) for by in of) == len(held))


def said(command, sentence):
    answer = " ".join(service.ask(command).split())
    check(f"{command}: {answer}", answer == sentence)


service.reload(head + before)
of = [lambda command, n=n: service.worker(n, command) for n in (1, 2)]
held = []
said("add backend added from web", "New backend registered.")
said(f"add server added/s1 {back} enabled slowstart 1m; publish backend added", "New server registered. Backend published.")
said("disable server added/s1; enable server added/s1", "")
until("all can choose it", lambda: [service.get("/added/") for _ in range(20)] == 20 * [200])
requests = {path: held_by(0, path) for path in ("/rules/", "/tracked/", "/named/", "/added/")}
old = service.workers()[0]
with open(service.cfg, "w") as f:
    f.write(head + after)
check("the reload succeeds", "Success=1" in service.parent("reload"))
until("a worker of before is left", lambda: service.old_workers() == [old])


def old_says(command):
    return service.parent(f"@!{old} {command}")


def old_server(path):
    rows = old_says("show servers state").splitlines()
    return next((row.split() for row in rows if f" {path.replace('/', ' ').split()[0]} " in row and
                 f" {path.split('/')[1]} " in row), None)


said("add backend added from web", "New backend registered.")
for path in "rules/s1", "tracked/s1":
    said(f"disable server {path}; del server {path}", "Server deleted.")
said(f"add server rules/s1 {back}; enable server rules/s1", "New server registered.")
for name in "named", "added":
    said(f"unpublish backend {name}; del backend {name}", "Backend unpublished. Backend deleted.")
until("the old one has heard it", lambda: "added" not in old_says("show backend").split())
check("what a rule names stays there, in maintenance", (old_server("rules/s1") or [0] * 7)[6] == "1")
check("as does what others track", (old_server("tracked/s1") or [0] * 7)[6] == "1")
check("a backend that a rule names stays there", "named" in old_says("show backend").split())
until("the added one is freed with its server", lambda: old_says("debug dev slots").split()[-1] == "0")
for path, s in requests.items():
    s.sendall(b"Connection: close\r\n\r\n")
    answer = read_all(s)
    status = b"503" if path in ("/named/", "/added/", "/tracked/") else b"200"
    check(f"a request of before for {path}: {status.decode()}", answer.startswith(b"HTTP/1.1 " + status))
until("the worker of before ends", lambda: not service.old_workers())
check("as it should", f"({old}) ended with exit code" not in open(service.log).read())
service.sound()

said(f"add server rules/warm {back} enabled slowstart 1m; disable server rules/warm; enable server rules/warm",
     "New server registered.")
check("requests reach it", [service.get("/rules/") for _ in range(8)] == 8 * [200])
for turn in range(4):  # a backend is still to be freed when they end
    workers = service.workers()
    service.ask("add backend last from web; del backend last")
    for pid in workers:
        os.kill(pid, signal.SIGTERM)
    until("workers that are told to end are replaced", lambda: not set(workers) & set(service.workers()) and
                                                               len(service.workers()) == 2)
check("workers with a server that warms up end well", "ended with exit code 1" not in open(service.log).read())
finish()
