# SPDX-License-Identifier: BSD-2-Clause
"""What /proc says of a process, and processes that stand still."""

import os
import re
import signal
import time


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory(pid, kind="VmRSS"):
    """kB: a line of /proc/PID/status, or, as "Pss" and "Anonymous", of smaps_rollup."""
    name = "status" if re.match("Vm|Rss[A-Z]", kind) else "smaps_rollup"
    with open(f"/proc/{pid}/{name}", encoding="utf-8") as f:
        return int(re.search(rf"(?m)^{kind}:\s+(\d+)", f.read())[1])


def children(pid):
    """Pids, whatever they are."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return {int(child) for child in f.read().split()}


def state(pid):
    """The letter that ps shows."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def stop(pid):
    """It stands still when this returns."""
    os.kill(pid, signal.SIGSTOP)
    while state(pid) != "T":
        time.sleep(0.01)
