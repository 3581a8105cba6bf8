# SPDX-License-Identifier: BSD-2-Clause
"""The client of networks.sh."""

import socket

from service import check, finish


def client():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(20)
    return s


def ask(s, to, data=b"x"):
    s.sendto(data, to)
    said, who = s.recvfrom(70000)
    assert who == to, who
    return said


for to in ("10.77.1.1", 1001), ("10.77.1.1", 1002), ("10.77.2.1", 1002):
    s = client()
    check("there and back: %s:%d" % to, ask(s, to).startswith(b"10.77.2.1:"))
    sizes = [1400] * 20 + [900] * 10 + [100] * 10 + [1450, 1450, 3]
    for i, size in enumerate(sizes):
        s.sendto(bytes([i]) * size, to)
    got = [s.recv(70000).split(b" ", 1)[1] for _ in sizes]
    check("... rows of datagrams, some larger than the MTU", got == [bytes([i]) * n for i, n in enumerate(sizes)])
    for size in 20000, 60000:
        check("... fragments of one of %d bytes" % size, ask(s, to, b"f" * size).split(b" ")[1] == b"f" * size)
s = client()
s.bind(("10.77.1.2", 4711))
check("usesrc client shows address and port", ask(s, ("10.77.1.1", 1003)) == b"10.77.1.2:4711 x")
for i in range(30):
    s.sendto(b"%d" % i, ("10.77.1.1", 1003))
check("... and brings all answers", [s.recv(99) for _ in range(30)] == [b"10.77.1.2:4711 %d" % i for i in range(30)])
s = client()
s.bind(("10.77.1.2", 4712))
for i in range(30):
    s.sendto(b"%d" % i, ("10.77.1.1", 1007))
check("... where a session is for one datagram, too", [s.recv(99) for _ in range(30)] == [b"10.77.1.2:4712 %d" % i for i in range(30)])
s = client()
s.bind(("10.77.1.2", 4713))
check("... and where answers end none", all(ask(s, ("10.77.1.1", 1008)) == b"10.77.1.2:4713 x" for _ in range(6)))
check("transparent: an address that is not this machine's", ask(client(), ("10.99.9.9", 1006)).endswith(b" x"))
check("a port in another namespace", ask(client(), ("10.77.1.2", 1004)).endswith(b" x"))
client().sendto(b"x", ("10.77.1.1", 1005))
finish()
