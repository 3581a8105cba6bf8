# SPDX-License-Identifier: BSD-2-Clause
"""What cut_short.sh describes."""

import sys

from origin import serve_each
from service import check, connect, finish


front, back = sys.argv[1:]


def origin(conn):
    path = conn.recv(4096).split()[1]
    framing, part = path[1:].decode().split("-")
    if framing == "close":
        conn.sendall(b"HTTP/1.1 200 OK\r\n\r\nhalf")
    else:
        conn.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
    if part == "half":
        conn.recv(1)                   # and says no more
        return
    conn.sendall(b"rest" if framing == "close" else b"4\r\nrest\r\n0\r\n\r\n")


def ask(path):
    answer = b""
    with connect(front) as conn:
        conn.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
        try:
            while more := conn.recv(4096):
                answer += more
        except ConnectionResetError:
            return answer, "RST"
    return answer, "FIN"


serve_each(back, origin)
for path, body, end in (("/close-half", b"half", "RST"), ("/chunked-half", b"half", "RST"),
                        ("/close-whole", b"halfrest", "FIN"), ("/chunked-whole", b"halfrest", "FIN")):
    for attempt in range(20):
        answer, how = ask(path)
        if b" 504 " not in answer:     # else the machine was so busy that nothing came in time
            break
    check(f"{path} ends with {how}", answer.endswith(b"\r\n\r\n" + body) and how == end)
finish()
