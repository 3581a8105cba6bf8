# SPDX-License-Identifier: BSD-2-Clause
"""What names.sh describes."""

# One request to each listener; prints names as the origin and the client saw them.
import socket
import sys
import threading
import time
folder = sys.argv[1]


def head(sock):
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            break
        data += more
    return data


def names(side, data):
    print(side, *[line.split(b":")[0].decode() for line in data.split(b"\r\n") if line.lower().startswith(b"x-")])


def origin(listener):
    while True:
        sock = listener.accept()[0]
        names("origin", head(sock))
        sock.sendall(b"HTTP/1.1 200 OK\r\nX-One: 1\r\nX-TWO: 2\r\nX-Three: 3\r\nX-Four: 4\r\n"
                     b"Connection: close\r\nContent-Length: 0\r\n\r\n")
        sock.close()


def connect(sock, path):
    for _ in range(3000):
        try:
            return sock.connect(path)
        except OSError:
            time.sleep(0.01)
    sys.exit("nobody listens")


listener = socket.socket(socket.AF_UNIX)
listener.bind(folder + "/origin")
listener.listen()
threading.Thread(target=origin, args=(listener,), daemon=True).start()
for proxy in "adjusted", "plain":
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(60)
    connect(sock, folder + "/" + proxy)
    sock.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nx-ONE: 1\r\nx-two: 2\r\nX-Three: 3\r\nx-four: 4\r\n\r\n")
    names("client", head(sock))
    sock.close()
