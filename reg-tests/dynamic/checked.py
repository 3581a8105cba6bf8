# SPDX-License-Identifier: BSD-2-Clause
"""What checked.sh describes."""

from origin import Origin, serve_each
from service import Service, check, connect, finish, free_ports, read_all, until

service = Service("secure")
back, secure = service.args.back, service.args.secure
agent = free_ports(1)[0]
said_by_agent = {"text": b"up 50%\n", "asked": 0}


def answer_as_agent(c):
    said_by_agent["asked"] += 1
    c.sendall(said_by_agent["text"])


serve_each(f"127.0.0.1:{agent}", answer_as_agent)


def rows(name, backend="be"):
    return [service.stat(backend, name, lambda c, n=n: service.worker(n, c)) for n in (1, 2, 3)]


def all_are(name, status, backend="be"):
    return all(row["status"].startswith(status) for row in rows(name, backend))


def get(path):
    s = connect(service.args.front)
    s.sendall(f"GET {path} HTTP/1.0\r\nHost: back.example\r\n\r\n".encode())
    return read_all(s)


until("the workers serve", lambda: len(service.workers()) == 3)

# ---- checks
service.says(f"add server be/n1 {back} check inter 20ms rise 1 fall 1", "New server registered.")
service.says("enable server be/n1", "")
check("its checks wait", all(row["check_status"] in ("INI", "") for row in rows("n1")))
service.says("enable health be/n1", "")
until("nobody is there: all workers see it down", lambda: all_are("n1", "DOWN"))
Origin(back)
until("it is there: all see it up", lambda: all_are("n1", "UP"))
check("it serves", b" 200 " in get("/be/"))
service.says("set server be/n1 check-port 1", "")
until("checks go where they are told", lambda: all_are("n1", "DOWN"))
service.says("set server be/n1 check-port 0", "")
until("and back", lambda: all_are("n1", "UP"))
service.says("disable server be/n1", "")
service.says("del server be/n1", "Server deleted.")
service.says(f"add server be/n2 {back}", "New server registered.")
service.says("enable health be/n2", "Health check was not configured on this server, cannot enable.")
service.says(f"add server be/n1 {back} check inter 20ms rise 1 fall 1 enabled", "New server registered.")
service.says("enable health be/n1", "")
until("one of the same name is checked anew", lambda: all(
    row["check_status"] == "L4OK" and row["status"] == "UP" for row in rows("n1")))

# ---- agents
service.says(f"add server be/n3 {back} weight 100 agent-check agent-port {agent} agent-inter 20ms enabled",
     "New server registered.")
check("its agent is not asked yet", said_by_agent["asked"] == 0)
service.says("enable agent be/n3", "")
until("the agent's weight holds in all workers", lambda: all(r["weight"] == "50" for r in rows("n3")))
said_by_agent["text"] = b"down\n"
until("and so does its word", lambda: all_are("n3", "DOWN"))
service.says("disable agent be/n3; disable server be/n3; del server be/n3", "Server deleted.")
asked = said_by_agent["asked"]

# ---- TLS
service.says(f"add server tls/n1 {secure} ssl verify required ca-file ca.pem verifyhost back.example "
     "sni str(back.example) check check-sni back.example inter 20ms enabled", "New server registered.")
service.says("enable health tls/n1", "")
until("checks speak TLS", lambda: all_are("n1", "UP", "tls"))
answer = get("/tls/")
check("traffic does, with the name", b" 200 " in answer and b"x-sni: back.example" in answer.lower())
service.says(f"add server tls/n2 {secure} ssl verify required ca-file ca.pem verifyhost wrong.example", "New server registered.")
service.says("disable server tls/n1; enable server tls/n2", "")
check("another name is refused", b" 503 " in get("/tls/") or b" 502 " in get("/tls/"))
answer = service.ask(f"add server tls/n3 {secure} ssl verify required ca-file nobody.pem")
check("authorities that were not loaded are refused", "is not in memory" in answer)
answer = service.ask(f"add server tls/n3 {secure} ssl verify none crt other.pem")
check("so is a certificate", "is not loaded" in answer)
service.says("set server tls/n1 ssl off", "'set server <srv> ssl' not supported on dynamic servers")
for name in "n2", "n1":
    answer = service.ask(f"disable server tls/{name}; wait 1m srv-removable tls/{name}; "
                         f"del server tls/{name}")
    check(f"tls/{name} goes", answer.split() == "Done. Server deleted.".split())
check("the agent of one that has gone is not asked", said_by_agent["asked"] <= asked + 1)
check("the shared memory is sound", "sound" in service.ask("expert-mode on; debug dev segment"))
finish()
