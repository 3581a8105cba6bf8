#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""later.py check|show BINARY FILE...: what the program makes of the expressions in the files.

A line is an expression, a tab and its value: "=text", "none", or ERR where the configuration is
refused. A line "> ..." is the head of the requests of the lines that follow, with \\n between its
lines, and \\n\\n before a body; without one it is "GET /". "check" tells of each line that comes out
otherwise; "show" prints the lines with the values that the program has.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from http1 import Answer
from service import read_all, taken

USUAL = "GET / HTTP/1.1"


def rows_of(path):
    head = USUAL
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith("> "):
            head = line[2:]
        elif line.startswith("#") or "\t" not in line:
            head = USUAL if not line else head
        else:
            expr, want = line.split("\t", 1)
            yield head, expr, want


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def word(text):
    return "'%s'" % text.replace("'", "'\\''") if re.search(r"[\s'\"\\#]", text) else text


def config(exprs, port):
    lines = ["defaults", " mode http", " timeout client 1m", " timeout connect 1m", " timeout server 1m",
             " option http-buffer-request",
             "frontend f", " bind 127.0.0.1:%d" % port,
             " acl yes always_true", " acl no always_false"]
    lines += [" http-request set-var(txn.v) %s if { req.hdr(x-row) -m str %d }" % (word(e), n)
              for n, e in exprs]
    lines += [' http-request return status 200 content-type text/plain lf-string "=%[var(txn.v)]"'
              " if { var(txn.v) -m found }",
              " http-request return status 200 content-type text/plain string none"]
    return "\n".join(lines) + "\n"


def ask(port, head, n):
    lines, _, body = head.encode().decode("unicode_escape").partition("\n\n")
    lines = lines.split("\n") + ["Host: a.example", "X-Row: %d" % n, "Connection: close"]
    if body:
        lines.append("Content-Length: %d" % len(body))
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        s.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode("latin-1"))
        return Answer(read_all(s)).text


def good_rows(binary, rows, port, folder):
    """The numbers of those that are no ERR, most of them tried at once."""
    good = [n for n, row in enumerate(rows) if row[2] != "ERR"]
    if not taken(binary, config([(n, rows[n][1]) for n in good], port), folder):
        good = [n for n in good if taken(binary, config([(n, rows[n][1])], port), folder)]
    return good + [n for n, row in enumerate(rows)
                   if row[2] == "ERR" and taken(binary, config([(n, row[1])], port), folder)]


def values(binary, rows, folder):
    port = free_port()
    good = good_rows(binary, rows, port, folder)
    path = os.path.join(folder, "all.cfg")
    with open(path, "w") as f:
        f.write(config([(n, rows[n][1]) for n in good], port))
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
        return [ask(port, rows[n][0], n) if n in good else "ERR" for n in range(len(rows))]
    finally:
        child.send_signal(signal.SIGTERM)
        child.wait(60)


def main():
    what, binary, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    bad = 0
    for path in files:
        rows = list(rows_of(path))
        with tempfile.TemporaryDirectory() as folder:
            got = values(binary, rows, folder)
        for (head, expr, want), value in zip(rows, got):
            if what == "show":
                print("%s\t%s" % (expr, value))
            elif value != want:
                bad += 1
                print("FAILED  %s [%s]: '%s', not '%s'" % (expr, head, value, want))
    sys.exit(bad != 0)


main()
