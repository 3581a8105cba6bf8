#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
differential: the same bytes through two proxies with the same configuration, and what came of it.

differential/NAME.cfg has its cases in NAME.txt, what the reference made of them in NAME.ref, and what Penstock
makes of those that differ, with the reason, in NAME.own.

  differential.py --program ./penstock [NAME...]         compares with what was recorded
  differential.py --program haproxy --record [NAME...]   records the reference
  differential.py --program ./penstock --own [NAME...]   records what differs; write the reasons yourself
  differential.py --program ./penstock --against haproxy [NAME...]  runs both, now

A case is a name, the frontend, and steps; "> " is sent by the client, "< " by the origin:

  == hello
  on plain
  > GET / HTTP/1.1
  > Host: a
  >
  < HTTP/1.1 200 OK
  < Content-Length: 2
  <
  < ok\\

Lines end with CR LF, or with nothing when the last character is a backslash; \\r \\n \\t \\0 \\xNN \\\\ stand for
those bytes; {10000*a} for ten thousand times the text. A block "> " behind a block "< " is sent when the first
response has come. ">-" half-closes the client's side, "<-" closes the origin's connection, "<!" resets it. Without
any "< " the origin answers 200 by itself. At the end a probe on the same connection tells whether it was kept.

Compared are: each response (names of headers in lower case), each request as the origin saw it, whether the
connection was kept, and the log lines (times, ports and gauges replaced by N).
"""

import argparse
import collections
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from http1 import Reader
from origin import serve_each
from service import free_ports
from sockets import ends_by_reset

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differential")
PATIENCE = 20.0
PROBE = b"GET /probe HTTP/1.1\r\nHost: probe\r\n\r\n"


# ---- cases ----

Case = collections.namedtuple("Case", "name on steps")  # steps: [(">", bytes) ...]


def unescape(text):
    text = re.sub(r"\{(\d+)\*([^}]+)\}", lambda m: m[2] * int(m[1]), text)
    end = "" if text.endswith("\\") and not text.endswith("\\\\") else "\r\n"
    if not end:
        text = text[:-1]
    names = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
    text = re.sub(r"\\(x[0-9a-fA-F]{2}|.)",
                  lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x" and len(m[1]) > 1
                  else names.get(m[1], m[0]), text)
    return (text + end).encode("latin-1")


def read_cases(path):
    cases = []
    with open(path, encoding="latin-1") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if line.startswith("== "):
                cases.append(Case(line[3:], ["plain"], []))
            elif line.startswith("on "):
                cases[-1].on[0] = line[3:]
            elif line in (">-", "<-", "<!"):
                cases[-1].steps.append([line, b""])
            elif line[:1] in ("<", ">") and line[1:2] in ("", " "):
                steps = cases[-1].steps
                if not steps or steps[-1][0] != line[0]:
                    steps.append([line[0], b""])
                steps[-1][1] += unescape(line[2:])
            elif line and not line.startswith("#"):
                sys.exit(f"{path}:{number}: what is this: {line}")
    names = [c.name for c in cases]
    for name in names:
        if names.count(name) > 1:
            sys.exit(f"{path}: two cases are called {name}")
    return cases


# ---- messages, read as bytes ----


class Stream(Reader):
    """What comes over a socket with a deadline; how it ended is in `end`."""

    def __init__(self, sock):
        super().__init__(sock)
        self.end = None

    def more(self, most=65536):
        """Reads once; False at the end."""
        if self.end:
            return False
        try:
            if super().more(most):
                return True
            self.end = "closed"
        except socket.timeout:
            self.end = "silence"
        except OSError:
            self.end = "reset"
        return False

    def until(self, mark):
        """With the mark."""
        found = super().until(mark)
        return None if found is None else found + mark

    def left(self):
        return self.exactly(len(self.held))


def header(head, name):
    m = re.search(rb"(?im)^" + name + rb":[ \t]*(.*?)[ \t]*\r$", head)
    return m[1] if m else None


def read_chunks(stream):
    out = b""
    while True:
        line = stream.until(b"\r\n")
        if line is None:
            return out + b"<cut>"
        out += line
        try:
            n = int(line.split(b";")[0], 16)
        except ValueError:
            return out + b"<not a chunk>"
        if not n:
            break
        data = stream.exactly(n + 2)
        if data is None:
            return out + stream.left() + b"<cut>"
        out += data
    while line != b"\r\n":
        line = stream.until(b"\r\n")
        if line is None:
            return out + b"<cut>"
        out += line
    return out


def read_message(stream, method=None):
    """(head, body) of a request (no method) or of the response to one; None at the end."""
    head = stream.until(b"\r\n\r\n")
    if head is None:
        return None
    status = re.match(rb"HTTP/\d\.\d (\d\d\d)", head)
    status = int(status[1]) if status else 0
    if method == "HEAD" or status in (204, 304) or 100 <= status < 200 and status != 101:
        return head, b""
    if (header(head, b"transfer-encoding") or b"").lower().endswith(b"chunked"):
        return head, read_chunks(stream)
    length = header(head, b"content-length")
    if length is not None and length.isdigit():
        body = stream.exactly(int(length))
        return head, stream.left() + b"<cut>" if body is None else body
    if method is None:
        return head, b""
    return head, stream.rest() + b"<to the close>"


# ---- the origin ----


class Origin:
    """Answers with what the case says; remembers what came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers, self.seen = [], []
        self.port = serve_each("127.0.0.1:0", self.serve).getsockname()[1]

    def begin(self, answers):
        with self.lock:
            self.answers, self.seen = answers, []


    def next_answer(self):
        with self.lock:
            return self.answers.pop(0) if self.answers else (b"", None)

    def serve(self, sock):
        sock.settimeout(PATIENCE)
        stream = Stream(sock)
        while self.exchange(sock, stream):
            pass

    def exchange(self, sock, stream):
        message = read_message(stream)
        if message is None:
            left = stream.left()
            if left:
                self.seen.append(left + b"<incomplete>")
            return False
        head, body = message
        if head.startswith((b"GET /probe ", b"GET /sync ")):
            sock.sendall(b"HTTP/1.1 200 OK\r\nX-Probe: yes\r\nContent-Length: 0\r\n\r\n")
            return True
        self.seen.append(head + body)
        answer, end = self.next_answer()
        # An end comes in the same segment as the last bytes, or it would be a race with the probe
        if not answer and not end:
            answer = b"HTTP/1.1 200 OK\r\nX-Origin: default\r\nContent-Length: 3\r\n\r\nyes"
        sock.send(answer, socket.MSG_MORE if end == "<-" else 0)
        if end == "<!":
            ends_by_reset(sock)
        elif end == "<-":
            sock.shutdown(socket.SHUT_WR)
            stream.rest()
        elif b" 101 " in answer.split(b"\r\n", 1)[0] and head.lower().find(b"upgrade:") > 0:
            data = stream.rest()
            if data:
                self.seen.append(b"<tunnel>" + data)
        return end is None


# ---- one program ----


class NotYet(Exception):
    """The program says that it does not have a word of the configuration yet."""


class Proxy:
    """A program that runs with a configuration; ports by the names of its frontends."""

    def __init__(self, program, path):
        self.origin = Origin()
        self.log = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.log.bind(("127.0.0.1", 0))
        with open(path, encoding="utf-8") as f:
            names = re.findall(r"\$\{?P_(\w+)", f.read())
        names = list(dict.fromkeys(names))
        self.ports = dict(zip(names, free_ports(len(names))))
        env = dict(os.environ, ORIGIN=f"127.0.0.1:{self.origin.port}",
                   LOG=f"127.0.0.1:{self.log.getsockname()[1]}", DIR=HERE)
        env.update({f"P_{n}": str(p) for n, p in self.ports.items()})
        self.output = tempfile.TemporaryFile()
        program = os.path.abspath(program) if "/" in program else program
        self.process = subprocess.Popen([program, "-db", "-f", path], env=env, cwd=HERE,
                                        stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output)
        self.wait_ready()

    def wait_ready(self):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            try:
                for port in self.ports.values():
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        self.output.seek(0)
        text = self.output.read().decode("utf-8", "replace")
        if "is not supported yet" in text:
            raise NotYet(next(line for line in text.splitlines() if "not supported yet" in line))
        sys.exit("does not start:\n" + text)

    def close(self):
        self.process.terminate()
        status = self.process.wait(PATIENCE)
        self.output.seek(0)
        text = self.output.read().decode("utf-8", "replace")
        if "Sanitizer" in text or "runtime error" in text or status not in (0, -15, 143):
            print(text)
            sys.exit(f"the program ended with {status}")

    def connect(self, name):
        sock = socket.create_connection(("127.0.0.1", self.ports[name]), timeout=PATIENCE)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def lines(self):
        """Log lines up to that of a request made now."""
        sync = self.connect("sync")
        sync.sendall(b"GET /sync HTTP/1.0\r\n\r\n")
        Stream(sync).rest()
        sync.close()
        lines = []
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if not select.select([self.log], [], [], 0.5)[0]:
                continue
            line = self.log.recv(65536)
            if b"/sync " in line:
                break
            if b"/probe " not in line:
                lines.append(line)
        return lines


def run_case(proxy, case):
    """The lines that say what came of a case."""
    steps = [tuple(s) for s in case.steps]
    answers = []
    for kind, data in steps:
        if kind == "<":
            answers.extend([a, None] for a in data.split(b"----\r\n"))
        elif kind[0] == "<":
            answers = answers or [[b"", None]]
            answers[-1][1] = kind
    proxy.origin.begin([tuple(a) for a in answers])
    sock = proxy.connect(case.on[0])
    stream = Stream(sock)
    said = []
    complete = True
    for i, (kind, data) in enumerate(steps):
        if kind == ">":
            complete = bool(re.search(rb"\r?\n\r?\n", data))
            exchange(sock, stream, data, said, steps[i + 1:i + 2] == [(">-", b"")], complete)
    finish(sock, stream, said, complete)
    sock.close()
    lines = proxy.lines()
    out = [f"client {line}" for line in said]
    out += [f"origin {show(normal_head(m))}" for m in proxy.origin.seen]
    out += [f"log {normal_log(line)}" for line in lines]
    return out


def exchange(sock, stream, data, said, shut, complete):
    try:
        sock.sendall(data)
        if shut:
            sock.shutdown(socket.SHUT_WR)
    except OSError:
        return
    methods = re.findall(rb"(?m)^([A-Z]+) [^\r\n]* HTTP/\d\.\d\r?$", data) or [b"GET"]
    if not complete:
        return
    for method in methods:
        while True:
            message = read_message(stream, method.decode())
            if message is None:
                return
            said.append(show(normal_head(message[0]) + message[1]))
            if not re.match(rb"HTTP/1.\d 1(?!01)", message[0]):
                break


def finish(sock, stream, said, probe):
    """Kept, closed or reset: a probe on the same connection tells."""
    if not stream.end and probe:
        try:
            sock.sendall(PROBE)
        except OSError:
            pass
    message = None if stream.end else read_message(stream, "GET")
    if message:
        if b"x-probe: yes" in message[0].lower():
            said.append("kept")
            return
        said.append(show(normal_head(message[0]) + message[1]))
        if (header(message[0], b"connection") or b"").lower() == b"close":
            stream.held += stream.rest()
    left = stream.left()
    if left:
        said.append("left " + show(left))
    # A RST behind the last byte depends on whether the probe was there in time
    said.append("closed" if stream.end in ("closed", "reset") else stream.end or "answered")


# ---- texts ----


def show(data):
    """Bytes as one line of printable text."""
    text = "".join(chr(c) if 32 <= c < 127 and c != 92 else
                   {13: "\\r", 10: "\\n", 9: "\\t", 92: "\\\\"}.get(c, f"\\x{c:02x}") for c in data)
    return re.sub(r"(.)\1{199,}", lambda m: "{%d*%s}" % (len(m[0]), m[1]), text)


def normal_head(message):
    """Names of headers in lower case and in order; values that change from run to run replaced."""
    head, mark, body = message.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    for i, line in enumerate(lines[1:], 1):
        name, colon, value = line.partition(b":")
        lines[i] = name.lower() + colon + value
    # The order of different headers means nothing
    lines[1:] = sorted(lines[1:], key=lambda line: line.partition(b":")[0])
    head = b"\r\n".join(lines)
    head = re.sub(rb"127\.0\.0\.1:\d+", b"127.0.0.1:N", head)
    head = re.sub(rb"(?<=\r\ndate: )[^\r]+", b"N", head)
    head = re.sub(rb"(?<=set-cookie: SRV=)\w+(?:\|[\w+/]{5}){1,2}",
                  lambda m: re.sub(rb"\|.{5}", b"|N", m[0]), head)
    head = re.sub(rb"(?<=x-unique: )[^\r]+", lambda m: re.sub(rb"[0-9A-F]", b"X", m[0]), head)
    return head + mark + body


def normal_log(line):
    text = line.decode("latin-1")
    text = re.sub(r"^<\d+>\w+ +\d+ [\d:]+ ", "", text)           # priority, date
    text = re.sub(r"^(\S+ )?\w+\[\d+\]: ", "", text)               # host, name and pid
    text = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:N", text)
    text = re.sub(r"\[\d+/\w+/[\d:.]+\]", "[N]", text)
    text = re.sub(r" (-?\d+)/(-?\d+)/(-?\d+)/(-?\d+)/(\+?-?\d+) ",
                  lambda m: " " + "/".join("-1" if v == "-1" else "N" for v in m.groups()) + " ", text)
    text = re.sub(r"(/\+?(?:N|-1) -?\d+ )\+?[1-9]\d* ", r"\1N ", text) # bytes: the reference counts its own form
    if "<BADREQ>" in text:
        text = re.sub(r"(/\+?(?:N|-1) -?\d+ )0 ", r"\1N ", text)
    text = re.sub(r" \d+/\d+/\d+/\d+/(\d+) (\d+)/(\d+) ", r" N/N/N/N/\1 \2/\3 ", text)
    return re.sub(r"\{\d+\*(.)\}", r"{N*\1}", show(text.encode("latin-1")))


# ---- recorded results ----


def write_results(path, results, comment):
    with open(path, "w", encoding="ascii") as f:
        f.write(f"# {comment}\n")
        for name, lines in results.items():
            f.write(f"== {name}\n" + "".join(f"{line}\n" for line in lines))


def read_results(path):
    results, lines = {}, None
    if not os.path.exists(path):
        return results
    with open(path, encoding="ascii") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("== "):
                lines = results.setdefault(line[3:], [])
            elif not line.startswith("#"):
                lines.append(line)
    return results


def run_file(program, name, only=None):
    """{case: lines}, of all cases or those named."""
    proxy = Proxy(program, os.path.join(HERE, name + ".cfg"))
    for _ in range(3):
        proxy.lines() # what came of the tries to connect
    results = {}
    for case in read_cases(os.path.join(HERE, name + ".txt")):
        if only is None or case.name in only:
            results[case.name] = run_case(proxy, case)
    proxy.close()
    return results


def print_difference(want, got):
    for line in want:
        print(("    = " if line in got else "    - ") + line)
    for line in got:
        if line not in want:
            print("    + " + line)


def differing(expected, own, got):
    """Names of the cases that compare would complain about."""
    return [case for case in got
            if ([line for line in own.get(case, []) if not line.startswith("reason ")] or
                expected.get(case)) != got[case]]


def compare(name, expected, own, got):
    """Number of cases that are neither as the reference has them nor as a reason says."""
    bad = 0
    for case, lines in got.items():
        mine = [line for line in own.get(case, []) if not line.startswith("reason ")]
        if case in own and mine == expected.get(case):
            bad += 1
            print(f"FAILED  {name}/{case} is no difference any more: take it out of {name}.own")
        elif case in own and not any(len(line) > 8 for line in own[case] if line[:7] == "reason "):
            bad += 1
            print(f"FAILED  {name}/{case} has no reason in {name}.own")
        want = mine or expected.get(case, ["not recorded"])
        if want != lines:
            bad += 1
            print(f"FAILED  {name}/{case}")
            print_difference(want, lines)
    return bad


def record_own(path, expected, own, got):
    """Keeps reasons that are there; leaves empty ones to be written."""
    differ = {}
    for case, lines in got.items():
        if lines != expected.get(case):
            reasons = [line for line in own.get(case, []) if line.startswith("reason ")]
            differ[case] = (reasons or ["reason "]) + lines
    write_results(path, differ, "What Penstock makes of cases where it differs, and why; --own.")
    print(f"{len(differ)} differences in {path}")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    p.add_argument("--program", default=os.environ.get("PENSTOCK", "./penstock"))
    p.add_argument("--against", help="another program instead of what was recorded")
    p.add_argument("--record", action="store_true")
    p.add_argument("--own", action="store_true")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    names = args.names or sorted(f[:-4] for f in os.listdir(HERE) if f.endswith(".txt"))
    bad = 0
    for name in names:
        try:
            got = run_file(args.program, name)
        except NotYet as why:
            print(f"skipped {name}: {why}")
            continue
        path = os.path.join(HERE, name)
        if args.record:
            write_results(path + ".ref", got, "What the reference (HAProxy 2.6) makes of the cases; --record.")
            continue
        expected = run_file(args.against, name) if args.against else read_results(path + ".ref")
        own = read_results(path + ".own")
        if args.own:
            record_own(path + ".own", expected, own, got)
            continue
        wrong = differing(expected, own, got)
        if wrong and not args.against: # the timing of a loaded machine, perhaps: it must differ twice
            got.update(run_file(args.program, name, wrong))
        wrong = compare(name, expected, own, got)
        print(f"{'FAILED' if wrong else 'ok    '}  {name}: {len(got)} cases, {wrong} unexpected")
        bad += wrong
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
