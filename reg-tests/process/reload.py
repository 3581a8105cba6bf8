#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Requests through a proxy while it reloads: no connection is refused or reset, no answer cut.

usage: reload.py ADDRESS PORT ORIGIN-PORT COMMAND ROUNDS Runs COMMAND (a reload that returns when it
is done, and fails when it has failed) ROUNDS times, with keep-alive and closing clients and long
transfers beside it. Prints what was done and what failed; exit code 1 if anything did. The origin
runs here, too.
"""
import socket
import subprocess
import sys
import threading
import time

from http1 import Reader, reply, request
from origin import serve

BODY = bytes(range(256)) * 16          # 4 kB
LONG = BODY * 1024                     # 4 MB
LIMIT = 60                             # seconds: only ever pass when something is broken


class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.done = {}
        self.failed = []

    def count(self, what):
        with self.lock:
            self.done[what] = self.done.get(what, 0) + 1

    def fail(self, what, error):
        with self.lock:
            self.failed.append("%s: %s" % (what, error))


def get(conn, path, close, expected):
    """One request. Whether the connection may be used again."""
    conn.sendall(request(path, close=close))
    r = Reader(conn)
    head = r.head()
    if head is None:
        raise ConnectionError("closed without an answer")
    if not head.startswith(b"HTTP/1.1 200"):
        raise ConnectionError("answer " + head.split(b"\r\n")[0].decode())
    body = r.body(head)
    if body is None:
        raise ConnectionError("cut after %d of %d bytes" % (len(r.held), len(expected)))
    if body != expected:
        raise ConnectionError("other bytes than were sent")
    return b"\r\nconnection: close" not in head.lower()


def answer(r):
    if r.path != "/long":
        return reply(BODY)
    said = reply(LONG)                 # slowly: some reloads pass meanwhile
    for i in range(0, len(said), 1 << 19):
        r.s.sendall(said[i:i + (1 << 19)])
        time.sleep(0.1)
    return b""


def origin(port):
    serve(f"127.0.0.1:{port}", answer)


def judge(client, kinds, least):
    """Reloads with clients of these kinds beside them; the words are those of the command line."""
    address = (sys.argv[1], int(sys.argv[2]))
    origin(sys.argv[3])
    command, rounds = sys.argv[4], int(sys.argv[5])
    stop, tally = threading.Event(), Tally()
    clients = [threading.Thread(target=client, args=(address, kind, stop, tally)) for kind in kinds]
    for thread in clients:
        thread.start()
    for _ in range(rounds):
        time.sleep(0.2)                # traffic in between, nothing depends on how much
        result = subprocess.run(command, shell=True, stdout=subprocess.PIPE, timeout=LIMIT)
        if result.returncode:
            tally.fail("reload", result.stdout.decode(errors="replace"))
        else:
            tally.count("reload")
    stop.set()
    for thread in clients:
        thread.join()
    print(" ".join("%s %d" % item for item in sorted(tally.done.items())))
    for line in tally.failed[:20]:
        print("failed:", line)
    if len(tally.failed) > 20:
        print("failed: %d in all" % len(tally.failed))
    sys.exit(1 if tally.failed or len(tally.done) < least else 0)


def client(address, kind, stop, tally):
    conn = None
    while not stop.is_set():
        try:
            if not conn:
                conn = socket.create_connection(address, LIMIT)
            keep = get(conn, "/long" if kind == "long" else "/", kind == "close",
                       LONG if kind == "long" else BODY)
            tally.count(kind)
            if kind != "keep" or not keep:
                conn.close()
                conn = None
            time.sleep(0.005)
        except OSError as error:
            tally.fail(kind, error)
            conn = None
    if conn:
        conn.close()


if __name__ == "__main__":
    judge(client, ["keep"] * 6 + ["close"] * 2 + ["long"] * 2, 4)
