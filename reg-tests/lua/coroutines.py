# SPDX-License-Identifier: BSD-2-Clause
"""What coroutines.sh describes."""

import socket

from service import Service, address, check, connect, finish, until

service = Service()
silent = socket.create_server(address(service.args.back), backlog=100)


def begin(how):
    service.ask("forget")
    s = connect(service.args.front)
    s.sendall(f"GET /wait/{how} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    until(f"{how}: it waits", lambda: service.ask(f"begun {how}").strip() == "true")
    return s


for how in "client", "socket", "queue", "sleep":
    with begin(how):
        check(f"{how}: another script closes the coroutine", service.ask("close").strip() == "true")
        until(f"{how}: the one that waits hears of it",
              lambda: service.ask(f"said {how}").strip() == "false cannot resume dead coroutine")
for how, told in ("client", "another script waits"), ("socket", "another script has begun to wait"):
    with begin(how):
        said = service.ask("resume").strip()
        check(f"{how}: another script resumes the coroutine, and is told: {said}", told in said)
        until(f"{how}: the one that waits goes on", lambda: service.ask(f"said {how}").strip() != "nil")
    with begin(how):
        pass # the client leaves; the script is left in the midst
    check(f"{how}: closed behind the script that waits", service.ask("close").strip() in ("true", "false"))
check("it serves", service.get() == 200)
finish()
