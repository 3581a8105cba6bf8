# SPDX-License-Identifier: BSD-2-Clause
"""What trace.py, http2.py and attack.py have in common: one command on the stats socket, and
clients."""
from service import Service, connect as dial

service = Service()
args = service.args


class Told:
    """A command, and what is said to it."""

    def __init__(self, line):
        self.s = dial(args.stats)
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
    return dial(args.front)


def get(path):
    return service.fetch(path).raw.decode()
