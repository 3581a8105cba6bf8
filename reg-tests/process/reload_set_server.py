# SPDX-License-Identifier: BSD-2-Clause
"""What reload_set_server.sh describes."""

from origin import Origin
from service import Service, check, finish, until

service = Service()
back, cfg = service.args.back, service.cfg
origin = Origin(back)
good = open(cfg).read()


def states():
    """Of each server what stands behind its SRV record: TLS; port and address of checks, of
    agents."""
    said = service.ask("show servers state be").splitlines()[2:]
    return {line.split()[3]: line.split()[20:] for line in said if line}


service.settle()
service.ask(f"add server be/added {back} check inter 300ms fall 1 rise 100; enable health be/added; "
            "enable server be/added; set server be/added check-port 1")
service.ask("set server be/asked check-addr 127.0.0.4 port 9; set server be/asked agent-addr 127.0.0.5 port 99; "
            "set server be/plain ssl off")
before = states()
check(f"they are set: {before}", before["asked"] == ["0", "9", "127.0.0.4", "127.0.0.5", "99"] and
      before["plain"][0] == "0" and before["never"][0] == "-1" and before["added"][1] == "1")
until("the added one is down", lambda: service.stat("be", "added")["status"].startswith("DOWN"))
for turn in 1, 2:
    service.reload(good)
    now = states()
    check(f"all is as before: {now}", now == before)
    check("the added one is down", service.stat("be", "added")["status"].startswith("DOWN"))
check("the server without TLS serves without", service.get() == 200)
service.reload(good.replace("port 7 agent-check agent-port 8", "port 10 agent-check agent-port 8 agent-addr 127.0.0.6")
       .replace("verify none", "verify none no-ssl"))
now = states()
check(f"what the file says anew wins, and that alone: {now}",
      now["asked"] == ["0", "10", "127.0.0.4", "127.0.0.6", "99"] and now["plain"][0] == "-1")
service.reload(good)
check("and holds", states()["plain"][0] == "1" and states()["asked"][1] == "7")
finish()
