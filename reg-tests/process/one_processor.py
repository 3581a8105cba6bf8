# SPDX-License-Identifier: BSD-2-Clause
"""What one_processor.sh describes."""

import os
import pty
import subprocess
import sys
import time

from service import ask, check, finish

penstock, folder, stats = sys.argv[1:]
TOLD = b"1 of "


def serves():
    try:
        return "Uptime" in ask(stats, "show info")
    except OSError:
        return False


def said(lines, words, terminal=True):
    """What it says until it serves, or until it ends."""
    path = os.path.join(folder, "cfg")
    with open(path, "w") as f:
        f.write(f"global\n    stats socket {stats} level admin\n{lines}")
    ours, its = pty.openpty() if terminal else os.pipe()
    p = subprocess.Popen([penstock, *words, "-f", path], stdin=subprocess.DEVNULL, stdout=its, stderr=its)
    os.close(its)
    end = time.monotonic() + 60
    while "-c" not in words and not serves() and p.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    if "-c" not in words:
        p.terminate()
    p.wait()
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            piece = b""
        if not piece:
            return text
        text += piece


several = len(os.sched_getaffinity(0)) > 1
text = said("", ["-db"])
check("one line at a terminal", text.count(TOLD) == several and text.count(b"nbproc auto") == several)
check("none where the file says nbproc 1", TOLD not in said("    nbproc 1\n", ["-db"]))
check("none where it says nbthread", TOLD not in said("    nbthread 1\n", ["-db"]))
check("none with -q", TOLD not in said("", ["-db", "-q"]))
check("none with -c", TOLD not in said("", ["-c"]))
check("none without a terminal", TOLD not in said("", ["-db"], False))
finish()
