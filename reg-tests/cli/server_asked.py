# SPDX-License-Identifier: BSD-2-Clause
"""
The test of server_asked.sh: asks the same of three servers, each in its way, and compares what the
workers show of them.
"""

import http.client

from service import Service, check, finish, until

service = Service()

WAYS = "socket", "page", "script"  # the names of the backends, too

# What is asked: as a command, an action of the page (None: it has none, and its server gets the
# command), a method of a script and its arguments, and which columns of "show stat" then have which
# value.
STEPS = [
    ("set server {} state drain", "drain", "set_drain", {"status": "DRAIN (agent)"}),
    ("set server {} state maint", "maint", "set_maint", {"status": "MAINT"}),
    ("set server {} state ready", "ready", "set_ready", {"status": "no check"}),
    ("set server {} health down", "hdown", "check_force_down", {"status": "DOWN"}),
    ("set server {} health stopping", "hnolb", "check_force_nolb", {"status": "NOLB"}),
    ("set server {} health up", "hrunn", "check_force_up", {"status": "no check"}),
    ("set server {} weight 50%", None, "set_weight 50%", {"weight": "20"}),
    ("set server {} weight 77", None, "set_weight 77", {"weight": "77"}),
    ("set server {} weight 7x", None, "set_weight 7x", {"weight": "77"}),
    ("set maxconn server {} 3", None, "set_maxconn 3", {"slim": "3"}),
    ("set maxconn server {} x", None, "set_maxconn x", {"slim": "3"}),
    ("set server {} addr 192.0.2.9 port 81", None, "set_addr 192.0.2.9 81", {"addr": "192.0.2.9:81"}),
    ("set server {} addr 192.0.2.x", None, "set_addr 192.0.2.x", {"addr": "192.0.2.9:81"}),
    ("set server {} agent down", "adown", "agent_force_down", {"status": "DOWN (agent)"}),
    ("set server {} agent up", "arunn", "agent_force_up", {"status": "no check"}),
    ("disable agent {}", "dagent", "agent_disable", {"status": "no check"}),
    ("set server {} agent down", "adown", "agent_force_down", {"status": "no check"}),
    ("enable agent {}", "eagent", "agent_enable", {"status": "no check"}),
    ("disable health {}", None, "check_disable", {"status": "no check"}),
    ("enable health {}", None, "check_enable", {"status": "no check"}),
]


def by_page(server, action):
    c = http.client.HTTPConnection(service.args.front)
    c.request("POST", "/", f"b=page&s={server}&action={action}")
    answer = c.getresponse()
    answer.read()
    c.close()
    return answer.getheader("location")


def stat(worker, backend, server, columns):
    head, *lines = service.worker(worker, "show stat").splitlines()
    names = head.lstrip("# ").split(",")
    for line in lines:
        row = dict(zip(names, line.split(",")))
        if (row.get("pxname"), row.get("svname")) == (backend, server):
            return {name: row[name] for name in columns}
    return None


def state(worker, backend, server):
    """Its line of "show servers state", from the name on, without times, and without what its agent
    said."""
    for line in service.worker(worker, f"show servers state {backend}").splitlines():
        words = line.split()
        if words[3:4] == [server]:
            return [word for at, word in enumerate(words) if at not in (0, 1, 9, 11)]
    return None


def same(sentence, server, columns):
    for worker in 1, 2:
        for way in WAYS:
            until(f"{sentence}: worker {worker}, {way}: {columns}",
                  lambda: stat(worker, way, server, columns) == columns)
        states = [state(worker, way, server) for way in WAYS]
        check(f"{sentence}: worker {worker}: {states[0]} {states[1:]}",
              states[0] and all(other == states[0] for other in states))


for command, action, method, columns in STEPS:
    service.ask(command.format("socket/s1"))
    service.ask(f"script asks script s1 {method}")
    if action:
        by_page("s1", action)
    else:
        service.ask(command.format("page/s1"))
    same(method, "s1", columns)

# One that follows another has no health of its own: each way refuses.
said = service.ask("set server socket/s2 health down")
check(f"health of a follower, by the socket: {said}", "tracking server" in said)
said = by_page("s2", "hdown")
check(f"by the page: {said}", said.endswith(";st=NONE"))
service.ask("script asks script s2 check_force_down")
same("health of a follower", "s2", {"status": "no check"})

# One with a check: it is paused, and goes on. Whether one is under way (1) is another matter.
for command, action, method, number in (("disable health {}", "dhlth", "check_disable", 2),
                                        ("enable health {}", "ehlth", "check_enable", 6)):
    service.ask(command.format("socket/s4"))
    said = by_page("s4", action)
    check(f"{method}, by the page: {said}", said.endswith(";st=DONE"))
    service.ask(f"script asks script s4 {method}")
    for worker in 1, 2:
        for way in WAYS:
            until(f"{method}: worker {worker}, {way}: the check has state {number}",
                  lambda: int(state(worker, way, "s4")[9]) & ~1 == number)

# One without an agent has none to speak for.
said = service.ask("set server socket/s3 agent down")
check(f"no agent, by the socket: {said}", "not enabled" in said)
said = by_page("s3", "adown")
check(f"by the page: {said}", said.endswith(";st=NONE"))
service.ask("script asks script s3 agent_force_down")
same("no agent", "s3", {"status": "no check"})
finish()
