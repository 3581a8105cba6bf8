# SPDX-License-Identifier: BSD-2-Clause
"""What cut_short.sh describes."""

import socket
import sys
import threading


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


front, server = address(sys.argv[1]), socket.create_server(address(sys.argv[2]), backlog=64)
held, failed = [], 0


def origin():
    while True:
        conn = server.accept()[0]
        path = conn.recv(4096).split()[1]
        framing, part = path[1:].decode().split("-")
        if framing == "close":
            conn.sendall(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        else:
            conn.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
        if part == "half":
            held.append(conn)          # and says no more
            continue
        conn.sendall(b"rest" if framing == "close" else b"4\r\nrest\r\n0\r\n\r\n")
        conn.close()


def ask(path):
    answer = b""
    with socket.create_connection(front, timeout=60) as conn:
        conn.sendall(b"GET %s HTTP/1.0\r\n\r\n" % path.encode())
        try:
            while more := conn.recv(4096):
                answer += more
        except ConnectionResetError:
            return answer, "RST"
    return answer, "FIN"


threading.Thread(target=origin, daemon=True).start()
for path, body, end in (("/close-half", b"half", "RST"), ("/chunked-half", b"half", "RST"),
                        ("/close-whole", b"halfrest", "FIN"), ("/chunked-whole", b"halfrest", "FIN")):
    for attempt in range(20):
        answer, how = ask(path)
        if b" 504 " not in answer:     # else the machine was so busy that nothing came in time
            break
    good = answer.endswith(b"\r\n\r\n" + body) and how == end
    failed += not good
    print("%s %s ends with %s" % ("ok     " if good else "FAILED ", path, how))
sys.exit(failed)
