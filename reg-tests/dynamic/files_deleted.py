# SPDX-License-Identifier: BSD-2-Clause
"""What files_deleted.sh describes."""

import socket

from service import Service, address, check, connect, finish, read_all, until

service = Service("workers", "certs", "secure")
count, certs = int(service.args.workers), service.args.certs
pids = service.children()
origin = socket.create_server(address(service.args.back))


def requests():
    return all(service.get() == 200 for _ in range(12))


def delete(names, files):
    """All in one line: nothing has time to happen in between."""
    until("no stream has them", lambda: all(service.stat("tls", name)["scur"] == "0" for name in names))
    said = service.ask("; ".join(["disable server tls/%s; del server tls/%s" % (n, n) for n in names] +
                                 ["del ssl %s" % f for f in files]))
    lines = [line for line in said.splitlines() if line]
    check("%s with %s: %s" % (" ".join(names), " ".join(files), lines),
          sum("deleted" in line and "can't" not in line for line in lines) == len(names) + len(files))


check("%d workers: they are used" % count, requests())
check("a certificate that is used is not deleted", "in use" in service.ask("del ssl cert %s/mine.pem" % certs))
delete(["mine"], ["cert %s/mine.pem" % certs, "ca-file %s/ca_one.pem" % certs])
delete(["first"], [])
said = service.ask("del ssl cert %s/shared.pem" % certs)
check("another server has it still: %s" % said.strip(), "in use" in said)
check("which serves", requests())
for n in range(8):
    new = "%s/new%d.pem" % (certs, n)
    service.ask("new ssl cert " + new)
    with open(certs + "/leaf.pem") as f:
        service.ask("set ssl cert %s <<\n%s\n" % (new, f.read()))
    service.ask("commit ssl cert " + new)
    said = service.ask("add server tls/added%d %s ssl verify required ca-file ca_two.pem crt %s; enable server tls/added%d; "
                       "disable server tls/second" % (n, service.args.secure, new, n))
    check("one is added: %s" % said.strip(), "registered" in said and requests())
    if n == 7:
        slow = connect(service.args.front)
        slow.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        behind = origin.accept()[0]
        said = service.ask("disable server tls/added7; del server tls/added7; del ssl cert " + new)
        check("one with a transfer is there, and its certificate in use: %s" % said.split("\n"),
              "still has connections" in said and "in use" in said)
        behind.recv(65536)
        behind.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        check("the transfer ends well", read_all(slow).endswith(b"ok"))
        until("then it can go", lambda: "deleted" in service.ask("del server tls/added7"))
        check("with its certificate", "deleted" in service.ask("del ssl cert " + new))
    else:
        delete(["added%d" % n], ["cert " + new])
delete(["second"], ["cert %s/shared.pem" % certs, "ca-file %s/ca_two.pem" % certs])
check("no process has ended by it", service.children() == pids)
finish()
