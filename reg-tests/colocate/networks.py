# SPDX-License-Identifier: BSD-2-Clause
"""What networks.sh describes."""

import select
import socket
import sys
server = sys.argv[1] == "server"
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
poll = select.epoll()
if server:
    s.bind(("10.79.0.2", int(sys.argv[2])))
    s.listen(1)
    print("ready", flush=True)
    s, _ = s.accept()
else:
    s.bind(("10.79.0.1", 7999))
    s.connect(("10.79.0.2", int(sys.argv[2])))
poll.register(s, select.EPOLLIN)
print("connected", flush=True)
sys.stdin.readline()
tag = sys.argv[3].encode()
for n in range(200):
    if not server:
        s.sendall(tag + b"%04d" % n)
    got = b""
    while len(got) < 5:
        poll.poll()
        piece = s.recv(5 - len(got))
        if not piece:
            sys.exit(f"the end of the connection has come behind {n} messages and {got}")
        got += piece
    if got != tag + b"%04d" % n:
        sys.exit(f"message {n} of {tag} is {got}")
    if server:
        s.sendall(got)
