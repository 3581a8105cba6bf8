# SPDX-License-Identifier: BSD-2-Clause
"""What failed_reload.sh describes."""

import socket

from origin import Origin
from service import Service, check, finish, until

service = Service()
back, cfg = service.args.back, service.cfg
origin = Origin(back)
good = open(cfg).read()
taken = socket.create_server(("127.0.0.1", 0))


def both(backend):
    """The names of its servers, where both workers say the same."""
    said = []
    for n in 1, 2:
        rows = service.worker(n, f"show servers state {backend}").splitlines()[2:]
        said.append({row.split()[3]: row.split()[0] for row in rows if row})
    return set(said[0]) if said[0] == said[1] else None


def is_added(path, words=""):
    said = service.ask(f"add server {path} {back} {words}")
    check(f"{path} is added: {said.strip()}", said.strip() == "New server registered.")


until("the workers serve", lambda: len(service.workers()) == 2)
for turn in 1, 2:
    with open(cfg, "w") as f:
        f.write(good + "frontend other\n\tbind 127.0.0.1:%d\n" % taken.getsockname()[1])
    before = service.workers()
    check("a reload fails", "Success=0" in service.parent("reload"))
    is_added(f"keeps/n{turn}", "enabled")
    is_added(f"keeps/m{turn}")
    said = service.ask(f"add backend made{turn} from kept")
    check("a backend is added: " + said, said.startswith("New backend"))
    is_added(f"made{turn}/s", "enabled")
    service.ask(f"publish backend made{turn}")
    until("both workers have them", lambda: {f"n{turn}", f"m{turn}"} <= both("keeps") and
                                            both(f"made{turn}") == {"s"})
    check("the same workers serve", service.workers() == before)
    check("requests reach them", service.get("/keeps/") == 200 and service.get(f"/made{turn}/") == 200)
    said = service.ask(f"del server keeps/m{turn}")
    check("one can go: " + said, "Server deleted." in said)
    with open(cfg, "w") as f:
        f.write(good)
    check("the next reload succeeds", "Success=1" in service.parent("reload"))
    until("new workers serve alone", lambda: not service.old_workers() and len(service.workers()) == 2)
    check("with them", both("keeps") == {"fixed"} | {f"n{n}" for n in range(1, turn + 1)} and
                       both(f"made{turn}") == {"s"})
    check("requests reach them still", service.get(f"/made{turn}/") == 200)
workers = service.workers()
said = service.ask(f"disable server keeps/n1; del server keeps/n1; add server keeps/n1 {back} enabled; "
                   f"disable server keeps/fixed; disable server keeps/n2")
check("deleted and added in one line: " + said.replace("\n", " "), "registered" in said)
check("it serves", all(service.get("/keeps/") == 200 for _ in range(10)))
until("and counts for itself", lambda: service.stat("keeps", "n1")["stot"] == "10")
check("nobody has ended", service.workers() == workers)
check("the shared memory is sound", "sound" in service.ask("expert-mode on; debug dev segment"))
finish()
