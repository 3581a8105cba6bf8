# SPDX-License-Identifier: BSD-2-Clause
"""See alone.sh."""

import os
import signal
import socket
import subprocess

from datagrams import Client, Server
from service import Service, check, connect, finish, read_all, until


service = Service("ports", "program", "shim")
front, everywhere, back = [int(p) for p in service.args.ports.split()]
server = Server("a", f"127.0.0.1:{back}")


def successor(*options, **environment):
    """Another process in the place of the present one."""
    with open(service.log, "a") as log:
        p = subprocess.Popen([service.args.program, "-db", "-f", service.cfg, *options],
                             stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                             env=dict(os.environ, **environment))
    until("a successor serves", lambda: service.info()["Pid"] == str(p.pid))
    return p


def clients():
    return [Client((host, port)) for port, host in
            [(front, "127.0.0.1")] * 20 + [(everywhere, "127.0.0.1")] * 10 + [(everywhere, "127.0.0.2")] * 10]


# -- a flood of clients
regular = clients()
were = [c.whom() for c in regular]
for i in range(3000):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind((f"127.1.{i // 250}.{i % 250 + 1}", 0))
        s.sendto(b"forged", ("127.0.0.1", front))
    if i % 100 == 0:  # who speaks is not the oldest
        were_now = [c.whom() for c in regular]
        if were_now != were:
            break
check("a flood of 3000 clients does not touch those who speak", were_now == were)
until("... and is bounded", lambda: service.stat("dns", "FRONTEND")["scur"] == "300")
row = service.stat("dns", "FRONTEND")
check("... at no time above maxconn", int(row["smax"]) <= 300 and int(row["stot"]) > 1000)

# -- metrics
with connect(service.args.front) as s:
    s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
    said = read_all(s).decode()
check("metrics have the section and its server",
      'haproxy_frontend_current_sessions{proxy="dns"} 300' in said and
      'haproxy_server_bytes_in_total{proxy="dns",server="a"}' in said)

# -- successors
old = service.pid
now = successor("-sf", str(old))
until("... alone", lambda: service.logged(f"({old}) : Proxy dns stopped") == 1)
check("by -sf alone: sessions stay", [c.whom() for c in regular] == were)
fresh = clients()
new = [c.whom() for c in fresh]
check("... and new clients are the successor's", [c.whom() for c in fresh] == new and
      service.stat("dns", "FRONTEND")["scur"] == str(len(fresh)))
last = successor("-x", service.args.stats, "-sf", str(now.pid))
until("... alone", lambda: service.logged(f"({now.pid}) : Proxy dns stopped") == 1)
check("by -x and -sf: sessions stay, too", [c.whom() for c in fresh] == new)
check("... and those of before", [c.whom() for c in regular] == were)
newest = clients()
check("... and new clients are the successor's", all(c.whom() for c in newest) and
      service.stat("dns", "FRONTEND")["scur"] == str(len(newest)))
short = os.path.dirname(service.cfg) + "/short"
lacks = successor("-sf", str(last.pid), LD_PRELOAD=service.args.shim, SHIM="spread=ENOMEM", SHIM_WHILE=short)
latest = clients()
told = [c.whom() for c in latest]
open(short, "w").close()
end = successor("-sf", str(lacks.pid))
until("... alone", lambda: service.logged(f"({lacks.pid}) : Proxy dns stopped") == 1)
check("without memory for the program of the port the log says so",
      service.logged("cannot be told apart by client: Cannot allocate memory") >= 1)
check("... sessions stay", [c.whom() for c in latest] == told)
check("... and new clients are the successor's", all(c.whom() for c in clients()))
for process in now, last, lacks, end:
    process.send_signal(signal.SIGTERM)
    check("a process ends well", process.wait() == 0)
os.kill(old, signal.SIGTERM)
finish()
