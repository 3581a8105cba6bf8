# SPDX-License-Identifier: BSD-2-Clause
"""What trace.py, http2.py and attack.py have in common: one command on the stats socket, and clients."""
import argparse
import socket

words = argparse.ArgumentParser()
for name in "front", "back", "stats", "parent", "pid", "dir":
    words.add_argument("--" + name)
args = words.parse_args()
failures = 0


def check(sentence, held, more=""):
    global failures
    failures += not held
    print("ok     " if held else "FAILED ", sentence, "" if held else more)


class Told:
    """A command, and what is said to it."""

    def __init__(self, line):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(60)
        self.s.connect(args.stats)
        self.s.sendall(line.encode() + b"\n")
        self.said = ""

    def until(self, text):
        while text not in self.said:
            got = self.s.recv(65536)
            if not got:
                return False
            self.said += got.decode()
        return True

    def all(self):
        self.until("\0")
        return self.said


def trace(line=""):
    """"trace request" that waits for its request."""
    t = Told("trace request " + line)
    t.until("Any key stops")
    return t


def connect():
    host, port = args.front.rsplit(":", 1)
    return socket.create_connection((host, int(port)), 60)


def get(path):
    s = connect()
    s.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % path.encode())
    answer = b""
    while got := s.recv(65536):
        answer += got
    return answer.decode()
