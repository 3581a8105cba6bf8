# SPDX-License-Identifier: BSD-2-Clause
"""What reload_told.sh describes."""

import os
import re
import signal
import socket

from service import Service, address, check, finish, until
service = Service()
collector = socket.socket(type=socket.SOCK_DGRAM)
collector.bind(address(service.args.back))
collector.setblocking(False)
good = open(service.cfg).read()
lines = []


def syslog(text):
    """How many lines of the log have it."""
    try:
        while True:
            lines.append(collector.recv(65536).decode())
    except BlockingIOError:
        pass
    return sum(text in line for line in lines)


def counts():
    """Reloads and failures of the parent, and the reloads of each present worker."""
    rows = service.parent("show proc")
    head = re.search(r"master +(\d+) \[failed: (\d+)\]", rows)
    now = rows.split("# workers")[1].split("# old")[0]
    return [int(n) for n in head.groups()] + [int(line.split()[2]) for line in now.splitlines() if line]


def write(text):
    with open(service.cfg, "w") as f:
        f.write(text)


def by_signal(sentence, condition):
    os.kill(service.pid, signal.SIGUSR2)
    until(sentence, condition)


success = "Success=1\n--\nLoading success."
check("the start is kept: " + service.parent("show startup-logs"),
      service.parent("show startup-logs") == "Loading success.")
check("nothing else to say: Loading success", service.parent("reload") == success)
check("one reload", counts() == [1, 0, 0, 0])

said = service.reload(good + "backend unused\n\tacl nothing path_beg\n")
check("warnings stand in the answer, too",
      said.startswith("Success=1\n--\n") and "warning: there is no pattern" in said
      and said.endswith("\nLoading success."))
check("and in the logs of the start", service.parent("show startup-logs") == said[len("Success=1\n--\n"):])

bad = good + "backend unused\n\tservr s 127.0.0.1:1\n"
where = "cfg:%d:2: error: unknown word 'servr'" % len(bad.splitlines())
write(bad)
by_signal("a reload by signal fails", lambda: counts()[1] == 1)
check("it counts as one, also of the workers", counts() == [3, 1, 1, 1])
until("the log has file and line", lambda: syslog(where) == 1)
check("and the hint", syslog("hint: did you mean 'server'") == 1)
check("but not the text of the file", syslog("servr s 127") == 0)
check("stderr has them", service.logged(where) == 1 and service.logged("did you mean 'server'") == 1)
check("as show startup-logs", where in service.parent("show startup-logs"))
said = service.parent("reload")
check("the answer has the whole", said.startswith("Success=0\n--\n") and where in said
      and "servr s 127" in said and "did you mean" in said)
check("both are counted", counts() == [4, 2, 2, 2])

taken = socket.create_server(("127.0.0.1", 0))
port = taken.getsockname()[1]
named = "frontend 'taken': cannot listen on 127.0.0.1:%d: " % port
write(good + "frontend taken\n\tbind 127.0.0.1:%d\n" % port)
said = service.parent("reload")
check("an address that is taken is named in the answer", said.startswith("Success=0\n--\n") and named in said)
check("and in show startup-logs", named in service.parent("show startup-logs"))
before = service.logged(named)
by_signal("by signal, too", lambda: counts()[:2] == [6, 4])
check("on stderr", service.logged(named) == before + 1)
until("and in the log", lambda: syslog(named) == 2)

write(good.replace("defaults\n", "\tchroot /nonexistent/folder\ndefaults\n", 1))
said = service.parent("reload")
check("why a worker cannot start is told: " + said,
      said.startswith("Success=0\n--\n") and "/nonexistent/folder" in said)
check("on stderr", service.logged("/nonexistent/folder") >= 1)
until("and in the log", lambda: syslog("/nonexistent/folder") >= 1)

write(good)
check("a good one", service.parent("reload") == success)
check("ends the count of failures", counts() == [8, 0, 0, 0])
by_signal("the next is counted", lambda: counts() == [9, 0, 0, 0])
finish()
