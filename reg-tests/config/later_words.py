# SPDX-License-Identifier: BSD-2-Clause
"""What later_words.sh describes."""

import socket
import sys
host, port = sys.argv[1].split(":")


def ask(own):
    s = socket.socket()
    s.settimeout(60)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for p in own:
        try:
            s.bind(("127.0.0.1", p))
            break
        except OSError:
            continue
    try:
        s.connect((host, int(port)))
        s.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return s.recv(100)
    except ConnectionError:
        return b""


if ask(range(900, 1024)) != b"":
    sys.exit("FAILED  a client from a port below 1024 was served")
if not ask([0]).startswith(b"HTTP/1.1 200"):
    sys.exit("FAILED  another client was not served")
