# SPDX-License-Identifier: BSD-2-Clause
"""What short_connections.sh describes."""

import re
import signal
import subprocess
import sys
import time

from service import Service, until

ROUNDS, LIMIT = 10, 1.3
service = Service(lambda p: (p.add_argument("many", nargs="?", type=int, default=8000),
                             p.add_argument("widths", nargs="*", default=["16"])))
front, many, widths = service.args.front, service.args.many, service.args.widths
until("they serve", lambda: len(service.workers()) == 4)
pids = service.workers()


def cpu(pid):
    return time.clock_gettime(~pid << 3 | 2)  # the clock of that process: clock_getcpuclockid(3)


def accepted():
    return int(service.info()["CumConns"])


def round_of(width):
    """Connections, seconds of CPU of each."""
    before, first = [cpu(pid) for pid in pids], accepted()
    client = subprocess.Popen(["wrk", "-t", "1", "-c", width, "-d", "600s", "--timeout", "60s",
                               "-H", "Connection: close", "http://%s/" % front],
                              stdout=subprocess.PIPE, text=True)
    while accepted() - first < many and client.poll() is None:
        time.sleep(0.01)
    client.send_signal(signal.SIGINT)
    said = client.communicate()[0]
    if "rrors:" in said or "Non-2xx" in said:
        sys.exit("FAILED  " + said)
    done = int(re.search(r"(\d+) requests in", said).group(1))
    return done, [cpu(pid) - b for pid, b in zip(pids, before)]


for width in widths:
    best = 99
    for _ in range(ROUNDS):
        done, used = round_of(width)
        ratio = max(used) / min(used)
        best = min(best, ratio)
        print("        %s at a time: %d connections, ms of CPU %s, most by least %.2f, %.1f us each" % (
            width, done, " ".join("%.0f" % (u * 1e3) for u in used), ratio, sum(used) / done * 1e6))
        if best <= LIMIT:
            break
    if best > LIMIT:
        sys.exit("FAILED  most by least %.2f" % best)
