# SPDX-License-Identifier: BSD-2-Clause
"""What kept.sh describes."""

import re
import select
import socket

from origin import Origin
from service import PATIENCE, Service, check, connect, finish, read_all, until

service = Service(lambda parser: parser.add_argument("tcp"))
origin = Origin(service.args.back)


def fine(said):
    check(said, re.fullmatch(r"\d+ methods of \d+ objects", said))


def ask(path):
    return service.fetch(path).text


check("a response", ask("/") == "hello")
check("a service", "kept" in ask("/service"))
with connect(service.args.tcp) as s:
    s.sendall(b"x")
    check("a service of tcp", read_all(s) == b"kept")
check("a command", service.ask("keep this") == "kept")
silent = socket.create_server(("127.0.0.1", 0))
waiting = connect(service.args.front)
waiting.sendall(f"GET /waits HTTP/1.1\r\nHost: x\r\nX-To: 127.0.0.1:{silent.getsockname()[1]}\r\n\r\n".encode())
peer = silent.accept()[0]
command = connect(service.args.stats)
command.sendall(b"keep waiting\n")
until("a command waits", lambda: "command that waits" in service.ask("judge kept"))
fine(ask("/judge"))
fine(service.ask("judge"))
service.ask("judge later")
until("a task has judged", lambda: service.ask("judge task") != "not yet")
fine(service.ask("judge task"))
wanted = ("server yes, proxy yes, listener yes, table yes, concat yes, regex yes, reply yes, client yes, close yes, "
          "close again yes, send when closed yes, receive when closed yes, connect when closed yes, "
          "a socket at which another waits no")
service.ask("keep released")
check("a command that was waiting ends", read_all(command) == b"released\n\n")
said = ask("/lasting")
check("what lasts: " + said, said == wanted)
service.ask("shutdown frontend stopped")
service.ask("disable server be/s")
said = ask("/lasting")
check("what lasts, of a frontend that was stopped: " + said, said == wanted)
peer.close()
check("who waited goes on", waiting.recv(100).startswith(b"HTTP/1.1 200"))
fine(ask("/judge"))

first, second = connect(service.args.front), connect(service.args.front)
first.sendall(f"GET /share HTTP/1.1\r\nHost: x\r\nX-To: 127.0.0.1:{silent.getsockname()[1]}\r\n\r\n".encode())
peer = silent.accept()[0]
second.sendall(b"GET /shared HTTP/1.1\r\nHost: x\r\n\r\n")
until("the second script asks", lambda: service.ask("show sess").count("fe=fe ") == 2)
peer.sendall(b"x" * 8000000)
ready = select.select([first, second], [], [], PATIENCE)[0]
said = ready[0].recv(1000) if ready else b""
check("of two scripts at a socket one is told", b"another script has begun to wait" in said)
peer.close()
other = second if ready == [first] else first
check("and the other receives", other.recv(1000).endswith(b"received"))
finish()
