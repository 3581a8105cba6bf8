# SPDX-License-Identifier: BSD-2-Clause
"""What renamed.sh describes."""

import os
import signal
import threading

from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

service = Service()
origin = Origin(service.args.back)


def names():
    """What all workers call the servers, once they agree."""
    answers = {tuple(line.split()[3] for line in service.worker(n, "show servers state be").splitlines()[2:] if line)
               for n in (1, 2)}
    return set(answers.pop()) if len(answers) == 1 else None


until("the workers serve", lambda: len(service.workers()) == 2)
service.say("set server be/other name x", "Only servers in maintenance mode can be renamed.")
service.say("set server be/named name x",
     "This server cannot be renamed at runtime due to other configuration elements pointing to it.")
service.say("set server be/s1 name named", "Already exists a server with the same name in backend.")
service.say("set server be/s1 name", "set server <b>/<s> name requires a name.")
check("a name that no line could have is refused", "cannot stand in" in service.ask("set server be/s1 name a/b"))
number = service.stat("be", "s1")["sid"]
service.say("set server be/s1 name first", "Server renamed.")
until("all workers call it so", lambda: names() == {"first", "named", "other"})
check("it keeps its number", service.stat("be", "first")["sid"] == number)
service.say("set server be/s1 state ready", "No such server.")
service.say("enable server be/first; disable server be/other", "")
check("it serves", {service.get("/") for _ in range(10)} == {200})
check("and is counted", service.stat("be", "first")["stot"] == "10")
service.say(f"add server be/s1 {service.args.back}", "New server registered.")
check("its old name is free for another", int(service.stat("be", "s1")["sid"]) != int(number))
service.say("set server be/s1 name added; set server be/added name again", "Server renamed. Server renamed.")
for n in (0, 1):
    victims = service.workers()
    os.kill(victims[n], signal.SIGKILL)
    until("a killed worker is replaced", lambda: len(service.workers()) == 2 and victims[n] not in service.workers())
until("replacements call them so", lambda: names() == {"first", "again", "named", "other"})
service.say("del server be/again", "Server deleted.")
until("and they go by their new names", lambda: names() == {"first", "named", "other"})

# ---- wait srv-stopped
service.say("wait 1m srv-stopped be/nobody", "Failed: No such server.")
service.say("wait 1m srv-stopped be/first", "Done.")
origin.hold = threading.Event()
with connect(service.args.front) as busy:
    busy.sendall(b"GET /busy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    until("a request is on it", lambda: origin.now == 1)
    service.say("wait 10ms srv-stopped be/first", "Wait delay expired.")
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(service.ask("wait 2m srv-stopped be/first")))
    waiting.start()
    until("somebody waits", lambda: any("GLOBAL" in service.worker(n, "show sess") for n in (1, 2)))
    check("as long as the request takes", not answers)
    origin.hold.set()
    check("it is answered", read_all(busy).startswith(b"HTTP/1.1 200"))
waiting.join(PATIENCE)
check("then the wait is over, with the server still in service",
      answers and answers[0].strip() == "Done." and service.get("/") == 200)
finish()
