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


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return len(f.read().split())


origin = socket.socket()
origin.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
origin.bind(address(sys.argv[3]))
origin.listen(5)
client = socket.create_connection(address(sys.argv[1]), timeout=60)
server = origin.accept()[0]
# Both wait for it when it goes on: the files cannot have been read in between.
for signo in signal.SIGSTOP, signal.SIGHUP, signal.SIGUSR1, signal.SIGCONT:
    os.kill(int(sys.argv[2]), signo)
deadline = time.monotonic() + 60
while True: # until the signals were heard, and nobody reads files any more
    log = open(sys.argv[4]).read()
    if "files are read" in log and "Soft stop" in log and children(sys.argv[2]) == 1:
        break
    assert time.monotonic() < deadline
    time.sleep(0.02)
