# SPDX-License-Identifier: BSD-2-Clause
"""What hangs.sh describes."""

import re

from service import Service, check, connect, finish, until

service = Service()


def log():
    with open(service.log, errors="replace") as f:
        return f.read()


def hangs(title, begin, said):
    before, already = set(service.workers()), log()
    s = begin()
    found = until(f"{title}: the worker is found", lambda: re.search(
        r"Worker (\d) \((\d+)\) hangs: no turn of its loop", log()[len(already):]))
    until(f"{title}: its words name the script", lambda: re.search(
        r"Worker %s \(%s\): penstock: %s" % (*found.groups(), said), log()[len(already):]))
    until(f"{title}: it is replaced", lambda: len(service.workers()) == 2 and set(service.workers()) != before)
    check(f"{title}: the service goes on", all(service.get() == 200 for _ in range(10)))
    s.close()


def request(path):
    def begin():
        s = connect(service.args.front)
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return s
    return begin


hangs("an action, in a coroutine", request("/" + "a" * 50),
      r"the script lua\.hang is at work from \[C\]: in method '(?:string\.)?find', \S+hang\.lua:2: in function line 1")
hangs("a fetch", request("/f" + "a" * 50),
      r"the script lua\.hang is at work from \[C\]: in method '(?:string\.)?find', \S+hang\.lua:2:")
finish()
