# SPDX-License-Identifier: BSD-2-Clause
"""See daemons.sh."""

import hashlib
import hmac
import os
import signal
import struct

from datagrams import Client
from service import Service, check, finish, until


service = Service("ports", "daemons", "lines")
ports = [int(p) for p in service.args.ports.split()]
daemons = {name: int(pid) for name, pid in (word.split("=") for word in service.args.daemons.split())}


def last(section):
    row = service.stat(section, "s")
    return row["status"].split()[0], row["check_status"].lstrip("* ")


def well(section, status):
    until(f"{section}: the check finds it well", lambda: last(section) == ("UP", status))


def ends(section):
    # Its parent, the shell, collects it.
    os.kill(daemons[section], signal.SIGKILL)
    until(f"{section}: who has ended is down", lambda: last(section)[0] == "DOWN")


if "dns" in daemons:
    well("dns", "L7OK")
    name = b"\3www\4test\0\0\1\0\1"
    said = Client(("127.0.0.1", ports[1])).ask(b"\x12\x34\1\0\0\1\0\0\0\0\0\0" + name)
    check("unbound answers a client", said[:2] == b"\x12\x34" and said[3] & 15 == 0 and said[-4:] == bytes([10, 0, 0, 7]))
    ends("dns")
if "ntp" in daemons:
    well("ntp", "L7OK")
    said = Client(("127.0.0.1", ports[3])).ask(b"\x23" + bytes(39) + b"12345678")
    check("chronyd answers a client", said[0] == 0x24 and said[1] == 8 and said[24:32] == b"12345678")
    ends("ntp")
if "syslog" in daemons:
    well("syslog", "L4OK")
    client = Client(("127.0.0.1", ports[5]))
    for i in range(10):
        client.send(b"<13>1 - here test - - - line %d." % i)

    def lines():
        try:
            with open(service.args.lines) as f:
                return f.read()
        except FileNotFoundError:
            return ""

    until("rsyslogd has all lines", lambda: all(f"line {i}." in lines() for i in range(10)))
    check("... each once, in order", [word for word in lines().split() if word[:-1].isdigit() and word[-1] == "."] ==
          [f"{i}." for i in range(10)])
    until("... beside those of the checks", lambda: "health check" in lines())
    ends("syslog")
if "radius" in daemons:
    well("radius", "L7OK")
    until("a server does not answer who has another secret", lambda: last("stranger") == ("DOWN", "L7TOUT"))
    head, secret = struct.pack(">BBH", 1, 77, 20 + 3 + 18) + b"authenticator..." + b"\1\3x\x50\x12", b"xyzzy"
    said = Client(("127.0.0.1", ports[7])).ask(head + hmac.new(secret, head + bytes(16), "md5").digest())
    check("freeradius accepts a user", said[:2] == b"\2\x4d" and
          said[4:20] == hashlib.md5(said[:4] + head[4:20] + said[20:] + secret).digest())
    ends("radius")
finish()
