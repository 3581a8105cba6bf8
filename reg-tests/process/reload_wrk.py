#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""wrk as the judge of reloads: keep-alive and closing clients, with long transfers beside them.

usage: reload_wrk.py ADDRESS PORT ORIGIN-PORT MASTER-SOCKET PID ROUNDS PACE Begins a reload each
PACE seconds. A connection that wrk could not open, that ended before its answer, or an answer that
is no 2xx or 3xx is a failure; so is a long transfer that was cut. Also says what the parent (PID)
has afterwards: descriptors, children, memory. Exit code 1: something failed.
"""
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from processes import children, descriptors, memory
from reload import LIMIT, Tally, client, origin


def ask(path, command):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(LIMIT)
        s.connect(path)
        s.sendall(command + b"\n")
        s.shutdown(socket.SHUT_WR)  # the reference ends the conversation then
        got = b""
        while piece := s.recv(65536):
            got += piece
        return got


def reloads(path):
    """How many there were; -1: nobody answers now."""
    try:
        return int(re.search(rb"\n\d+ +master +(\d+)", ask(path, b"show proc")).group(1))
    except (OSError, AttributeError):
        return -1


def reload(path):
    before, end = reloads(path), time.monotonic() + LIMIT
    while before < 0 and time.monotonic() < end:
        before = reloads(path)
    try:
        ask(path, b"reload")
    except OSError:
        pass  # the reference ends it in its own way
    while time.monotonic() < end:
        if reloads(path) > before:
            return True
        time.sleep(0.01)
    return False


def wrk(address, *words):
    return subprocess.Popen(["wrk", "-t", "1", "-c", "8", "-d", "3600s", "--timeout", "%ds" % LIMIT,
                             *words, "http://%s:%d/" % address],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def judged(process):
    """Requests, failures, and what wrk says of them."""
    process.send_signal(signal.SIGINT)
    said = process.communicate()[0]
    done = re.search(r"(\d+) requests in", said)
    bad = re.findall(r"(?:connect|read|write|timeout|Non-2xx or 3xx responses:) (\d+)", said)
    words = " ".join(line.strip() for line in said.splitlines() if "rrors:" in line or "Non-" in line)
    return int(done.group(1)) if done else 0, sum(map(int, bad)), words


def state(pid):
    return descriptors(pid), len(children(pid)), memory(pid)


def settled(pid, most):
    """The old workers have left."""
    end = time.monotonic() + 2 * LIMIT
    while time.monotonic() < end and state(pid)[1] > most:
        time.sleep(0.05)
    return state(pid)


def main():
    address, path, pid = (sys.argv[1], int(sys.argv[2])), sys.argv[4], int(sys.argv[5])
    rounds, pace = int(sys.argv[6]), float(sys.argv[7])
    origin(sys.argv[3])
    children = state(pid)[1]
    good = reload(path)
    before = settled(pid, children)
    stop, tally = threading.Event(), Tally()
    clients = [threading.Thread(target=client, args=(address, "long", stop, tally)) for _ in range(4)]
    for thread in clients:
        thread.start()
    keep, close = wrk(address), wrk(address, "-H", "Connection: close")
    begin = time.monotonic()
    for n in range(rounds):
        good &= reload(path)
        time.sleep(max(0, begin + (n + 1) * pace - time.monotonic()))
    took = time.monotonic() - begin
    stop.set()
    results = [("keep-alive", *judged(keep)), ("close", *judged(close))]
    for thread in clients:
        thread.join()
    after = settled(pid, before[1])
    print("        %d reloads in %.1f s%s" % (rounds, took, "" if good else ": some failed"))
    for name, done, bad, words in results:
        print("        %s: %d requests, %d failed %s" % (name, done, bad, words))
    print("        long transfers: %d, %d failed" % (tally.done.get("long", 0), len(tally.failed)))
    for line in tally.failed[:5]:
        print("          ", line)
    print("        parent: %d descriptors, %d children, %d kB before; %d, %d, %d after" % (before + after))
    if not good or tally.failed or not all(done and not bad for _, done, bad, _ in results) or \
            not tally.done.get("long"):
        sys.exit(1)
    if after[0] > before[0] + 2 or after[1] > before[1] or after[2] > before[2] + 8192:
        sys.exit("the parent has more than before")


main()
