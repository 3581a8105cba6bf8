# SPDX-License-Identifier: BSD-2-Clause
"""What soft_stop.sh describes."""

import os
import signal
import sys
import time

from origin import listen
from service import connect


front, back, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
origin = listen(back)
client = connect(front)
server = origin.accept()[0]
server.settimeout(60)
os.kill(pid, signal.SIGUSR1)
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    try:
        connect(front).close()
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
