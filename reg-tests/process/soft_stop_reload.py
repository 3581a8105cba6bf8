# SPDX-License-Identifier: BSD-2-Clause
"""What soft_stop.sh describes."""

import os
import signal
import sys
import time

from origin import listen
from processes import children
from service import connect


front, pid, back, path = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
origin = listen(back)
client = connect(front)
server = origin.accept()[0]
# Both wait for it when it goes on: the files cannot have been read in between.
for signo in signal.SIGSTOP, signal.SIGHUP, signal.SIGUSR1, signal.SIGCONT:
    os.kill(pid, signo)
deadline = time.monotonic() + 60
while True: # until the signals were heard, and nobody reads files any more
    log = open(path).read()
    if "files are read" in log and "Soft stop" in log and len(children(pid)) == 1:
        break
    assert time.monotonic() < deadline
    time.sleep(0.02)
