#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""rfc7239.py check|show BINARY FILE: what "option forwarded" makes of the words in the file.

A line is the words behind the option, a tab and the field that the server gets, or ERR where the
configuration is refused. A line "> SOURCE DESTINATION LINES" describes the requests of the lines
that follow: both addresses with ports ("-" as they are), and further lines of the head, parted by
"|".
"""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from http1 import Answer, reply
from origin import serve
from service import read_all, taken

USUAL = "10.0.0.1:4001 10.0.0.9:80 Host: a.example"


def rows_of(path):
    how = USUAL
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith("> "):
            how = line[2:]
        elif not line.startswith("#") and "\t" in line:
            yield (how, *line.split("\t", 1))


def echo(r):
    """The fields Forwarded of the request, one a line."""
    return reply(b"\n".join(x[11:] for x in r.head.split(b"\r\n") if x.lower().startswith(b"forwarded: ")), close=True)


def config(rows, port, server):
    lines = ["defaults", " mode http", " timeout client 1m", " timeout connect 1m", " timeout server 1m",
             "frontend f", " bind 127.0.0.1:%d" % port]
    for side in "src", "dst":
        for part in side, side + "-port":
            lines.append(" http-request set-%s req.hdr(x-%s) if { req.hdr(x-%s) -m found }"
                         % (part, part, part))
    lines += [" use_backend b%d if { req.hdr(x-row) -m str %d }" % (n, n) for n, _ in rows]
    for n, words in rows:
        lines += ["backend b%d" % n, " option forwarded %s" % words, " server s 127.0.0.1:%d" % server]
    return "\n".join(lines) + "\n"


def ask(port, how, n):
    src, dst, more = how.split(" ", 2)
    version = "HTTP/1.1" if "Host:" in more else "HTTP/1.0"
    lines = ["GET / " + version, "X-Row: %d" % n, "Connection: close"]
    for side, addr in ("Src", src), ("Dst", dst):
        if addr != "-":
            host, _, number = addr.rpartition(":")
            lines += ["X-%s: %s" % (side, host), "X-%s-Port: %s" % (side, number)]
    lines += [x for x in more.split("|") if x]
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        return Answer(read_all(s)).text.replace("\n", " + ")


def values(binary, rows, folder):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    behind = serve("127.0.0.1:0", echo).getsockname()[1]
    good = [n for n, row in enumerate(rows) if row[2] != "ERR"]
    text = config([(n, rows[n][1]) for n in good], port, behind)
    if not taken(binary, text, folder):
        good = [n for n in good if taken(binary, config([(n, rows[n][1])], port, behind), folder)]
        text = config([(n, rows[n][1]) for n in good], port, behind)
    wrong = [n for n, row in enumerate(rows) if row[2] == "ERR"
             and taken(binary, config([(n, row[1])], port, behind), folder)]
    path = os.path.join(folder, "all.cfg")
    with open(path, "w") as f:
        f.write(text)
    child = subprocess.Popen([binary, "-db", "-f", path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 60).close()
                break
            except OSError:
                if time.monotonic() > deadline or child.poll() is not None:
                    sys.exit("FAILED  %s does not start" % binary)
                time.sleep(0.02)
        return [ask(port, rows[n][0], n) if n in good else "taken" if n in wrong else "ERR"
                for n in range(len(rows))]
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait(60)


def main():
    what, binary, path = sys.argv[1:]
    rows = list(rows_of(path))
    with tempfile.TemporaryDirectory() as folder:
        got = values(binary, rows, folder)
    bad = 0
    for (how, words, want), value in zip(rows, got):
        if what == "show":
            print("%s\t%s" % (words, value))
        elif value != want:
            bad += 1
            print("FAILED  option forwarded %s [%s]: '%s', not '%s'" % (words, how, value, want))
    sys.exit(bad != 0)


main()
