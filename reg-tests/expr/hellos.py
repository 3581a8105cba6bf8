# SPDX-License-Identifier: BSD-2-Clause
"""What hellos.sh describes."""

import re
import socket
import sys
import time

hellos, address, log, whose = sys.argv[1:]
host, port = address.split(":")
rows = [line.rstrip("\n").split("\t") for line in open(hellos, encoding="utf-8") if "\t" in line]
sent = {}


def pieces(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


def send(name, way, parts, want):
    s = socket.create_connection((host, int(port)), 60)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for part in parts:
            s.sendall(part)
        s.shutdown(socket.SHUT_WR)
        s.recv(1)
    except OSError:
        pass
    sent[s.getsockname()[1]] = (name, way, want)
    return s


open_ones = []
for name, data, want in rows:
    if whose == "theirs" and name.startswith("*") or not data:
        continue
    data = bytes.fromhex(data)
    for way, size in ("whole", 100000), ("in pieces of 7", 7), ("byte by byte", 1):
        if len(data) / size < 400:
            open_ones.append(send(name, way, pieces(data, size), want))
told, end = {}, time.monotonic() + 60
while time.monotonic() < end and not set(sent) <= set(told):
    told = {int(m[1]): m[2] for m in re.finditer(r"told (\d+) (.*)", open(log, encoding="utf-8").read())}
    time.sleep(0.05)


def same(got, want):
    """What is not there is false to conditions: haproxy says nothing of extensions that are
    missing."""
    got, want = got and got.split(), want.split()
    return got and got[:3] + got[5:] == want[:3] + want[5:] and \
        all(g == w or whose == "theirs" and (g, w) == ("-", "0") for g, w in zip(got[3:5], want[3:5]))


bad = [(*sent[p], told.get(p)) for p in sent if not same(told.get(p), sent[p][2])]
for name, way, want, got in bad:
    print(f"{name} {way}: {got} instead of {want}")
print(f"{len(sent)} hellos, {len(bad)} were taken otherwise")
sys.exit(bool(bad) or len(sent) < 150)
