# SPDX-License-Identifier: BSD-2-Clause
"""What soft_stop.sh describes."""

import os
import signal
import socket
import sys
import time


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


front, back, pid = address(sys.argv[1]), address(sys.argv[2]), int(sys.argv[3])
origin = socket.socket()
origin.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
origin.bind(back)
origin.listen(5)
client = socket.create_connection(front, timeout=60)
server = origin.accept()[0]
server.settimeout(60)
os.kill(pid, signal.SIGUSR1)
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    try:
        socket.create_connection(front, timeout=60).close()
        time.sleep(0.02)
    except (ConnectionRefusedError, ConnectionResetError):
        break
else:
    sys.exit("FAILED  it still takes connections")
print("ok      no new connections")
client.sendall(b"still here")
assert server.recv(100) == b"still here"
server.sendall(b"so am I")
assert client.recv(100) == b"so am I"
os.kill(pid, 0)
print("ok      the present one goes on")
client.close()
assert server.recv(100) == b""
