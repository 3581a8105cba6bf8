#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Requests through a proxy while it reloads: no connection is refused or reset, no answer cut.

usage: reload.py ADDRESS PORT ORIGIN-PORT COMMAND ROUNDS
Runs COMMAND (a reload that returns when it is done, and fails when it has failed) ROUNDS times, with
keep-alive and closing clients and long transfers beside it. Prints what was done and what failed;
exit code 1 if anything did. The origin runs here, too.
"""
import socket
import subprocess
import sys
import threading
import time

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


def read_head(conn, buf):
    while b"\r\n\r\n" not in buf:
        more = conn.recv(65536)
        if not more:
            return None, buf
        buf += more
    head, rest = buf.split(b"\r\n\r\n", 1)
    return head.lower(), rest


def origin_serve(conn):
    buf = b""
    conn.settimeout(LIMIT)
    try:
        while True:
            head, buf = read_head(conn, buf)
            if head is None:
                return
            body = LONG if b" /long" in head else BODY
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            if body is LONG:           # slowly: some reloads pass meanwhile
                for i in range(0, len(body), 1 << 19):
                    conn.sendall(body[i:i + (1 << 19)])
                    time.sleep(0.1)
            else:
                conn.sendall(body)
    except OSError:
        pass
    finally:
        conn.close()


def origin(server):
    while True:
        try:
            conn, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=origin_serve, args=(conn,), daemon=True).start()


def get(conn, path, close, expected):
    """One request. Whether the connection may be used again."""
    conn.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n" %
                 (path, b"Connection: close\r\n" if close else b""))
    head, body = read_head(conn, b"")
    if head is None:
        raise ConnectionError("closed without an answer")
    if not head.startswith(b"http/1.1 200"):
        raise ConnectionError("answer " + head.split(b"\r\n")[0].decode())
    while len(body) < len(expected):
        more = conn.recv(1 << 20)
        if not more:
            raise ConnectionError("cut after %d of %d bytes" % (len(body), len(expected)))
        body += more
    if body != expected:
        raise ConnectionError("other bytes than were sent")
    return b"connection: close" not in head


def client(address, kind, stop, tally):
    conn = None
    while not stop.is_set():
        try:
            if not conn:
                conn = socket.create_connection(address, LIMIT)
            keep = get(conn, b"/long" if kind == "long" else b"/", kind == "close",
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


def main():
    address = (sys.argv[1], int(sys.argv[2]))
    server = socket.create_server(("127.0.0.1", int(sys.argv[3])), backlog=1024)
    command, rounds = sys.argv[4], int(sys.argv[5])
    threading.Thread(target=origin, args=(server,), daemon=True).start()
    stop, tally = threading.Event(), Tally()
    clients = [threading.Thread(target=client, args=(address, kind, stop, tally))
               for kind in ["keep"] * 6 + ["close"] * 2 + ["long"] * 2]
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
    sys.exit(1 if tally.failed or len(tally.done) < 4 else 0)


if __name__ == "__main__":
    main()
