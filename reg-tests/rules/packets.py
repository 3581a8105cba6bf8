# SPDX-License-Identifier: BSD-2-Clause
"""
Packets to servers and clients have the mark and the TOS field that rules want, the first one
included. A socket that accepts takes the mark of the SYN (tcp_fwmark_accept); the TOS field of each
packet is seen by a raw socket. In a network namespace of its own.
"""

import socket
import threading

from http1 import reply
from origin import serve_each, serve_requests
from service import Service, address, check, fetch, finish, until

SO_MARK = 36


class Numbered:
    """Answers each request with the mark of the connection and its number."""

    def __init__(self, at):
        self.count = 0
        serve_each(at, self.serve)

    def serve(self, conn):
        self.count += 1
        fields = f"X-Mark: {conn.getsockopt(socket.SOL_SOCKET, SO_MARK)}", f"X-Conn: {self.count}"
        serve_requests(conn, lambda _: reply(b"", *fields))


class Watcher:
    """TOS fields of packets, by the port that they go to or come from; and of those the SYN's."""

    def __init__(self):
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
        self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.seen = {}
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            p = self.raw.recv(65536)
            head = (p[0] & 15) * 4
            source, to = int.from_bytes(p[head:head + 2], "big"), int.from_bytes(p[head + 2:head + 4], "big")
            syn = p[head + 13] & 0x12 == 2
            self.seen.setdefault(("to", to), set()).add(p[1])
            self.seen.setdefault(("from", source), set()).add(p[1])
            if syn:
                self.seen.setdefault(("syn", to), []).append(p[1])


def ask(front, path, **fields):
    return fetch(front, path, *(f"{k.replace('_', '-')}: {v}" for k, v in fields.items())).fields


with open("/proc/sys/net/ipv4/tcp_fwmark_accept", "w") as f:
    f.write("1")
args = Service().args
front, back = args.front, args.back
watcher = Watcher()
origin = Numbered(back)
back_port, front_port = address(back)[1], address(front)[1]

plain = ask(front, "/")
check("without a rule nothing is marked", plain.get("x-mark") == "0")
marked = ask(front, "/mark")
check("set-bc-mark marks the SYN already: " + str(marked), marked.get("x-mark") == "7")
check("a connection with a mark is another one", marked["x-conn"] != plain["x-conn"])
again = ask(front, "/mark")
check(f"the next request with that mark uses it again: {again}", again.get("x-conn") == marked["x-conn"])
check("bc_reused says so", again.get("reused") == "1" and marked.get("reused") == "0")
other = ask(front, "/expr", x_mark=4294967295)
check("an expression gives the mark", other.get("x-mark") in ("-1", "4294967295"))
beyond = ask(front, "/expr", x_mark=4294967296)
check("what is beyond 32 bits changes nothing", beyond.get("x-mark") == "0" and beyond["x-conn"] == plain["x-conn"])
check("bc_rtt is known in us", int(plain.get("rtt", "-1")) >= 0)

check("no packet to the server has a TOS field yet", watcher.seen[("to", back_port)] == {0})
ask(front, "/tos")
until("set-bc-tos is in packets to the server", lambda: 0x20 in watcher.seen[("to", back_port)])
check("from the SYN on", watcher.seen[("syn", back_port)][-1] == 0x20)
check("no packet to a client has one", watcher.seen[("from", front_port)] == {0})
ask(front, "/client", x_tos=72)
until("set-fc-tos is in packets to the client", lambda: 72 in watcher.seen[("from", front_port)])
ask(front, "/late")
until("in http-response, too", lambda: 0x40 in watcher.seen[("from", front_port)])
finish()
