#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
smuggling: bytes that have fooled proxies, sent through one, and what came of it.

  smuggling.py --program ./penstock [FOLDER]     fails when a case has another end than it says
  smuggling.py --reference haproxy [FOLDER]      tells what the reference does with each; never fails

Cases are in reg-tests/corpus/smuggling/*.txt (FOLDER), one behind the other:

  case: Content-Length beside Transfer-Encoding
  seen: CVE-2019-20445 (Netty)
  send: "POST /a HTTP/1.1\\r\\nHost: a\\r\\n"
        "Content-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n"
  status: 400
  after: closed
  requests: none

send, reply: strings with \\r \\n \\t \\0 \\xNN \\\\ \\", each may be followed by *N; a line that begins with a blank
goes on. reply is what the origin answers to its first request; else it answers 200 with the target as its body, to
which the client's side is held: an answer must belong to its request.
status: of all answers, in order. after: closed, or open: then a request sent behind must be answered by its own
answer; either: if it is open. requests: targets of the complete requests that reach the origin, read by a strict parser; "none"; what is
malformed there fails the case. lacks: a string that must reach neither. gets: a string that must reach the client; reaches:
the origin.
with: a line for the configuration. end: the client closes its direction behind what it sends. shut: the origin
closes behind its reply.
seen: where such bytes were seen doing harm.

Each case is sent whole and byte by byte. No waiting for time to pass: answers, ends of connections and the end of
the program are waited for.
"""

import argparse
import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile

PATIENCE = 30.0
SENTINEL = b"GET /sentinel HTTP/1.1\r\nHost: a\r\n\r\n"
KEYS = {"reaches", "case", "seen", "send", "reply", "status", "after", "requests", "lacks", "gets", "with", "end", "shut"}


# ---- cases ----

class Case:
    def __init__(self, name, where):
        self.name, self.where = name, where
        self.send, self.reply, self.end, self.shut = b"", None, False, False
        self.status, self.after, self.requests = [], "closed", []
        self.lacks, self.gets, self.reaches, self.lines = [], [], [], []


def unquote(text, where):
    """The bytes of "...", "..."*N, one behind the other."""
    out, rest = b"", text.strip()
    while rest:
        m = re.match(r'"((?:[^"\\]|\\.)*)"(?:\s*\*\s*(\d+))?\s*', rest)
        if not m:
            sys.exit("%s: no string: %s" % (where, rest))
        piece = re.sub(r'\\(x[0-9a-f]{2}|.)', unescape, m[1])
        out += piece.encode("latin-1") * int(m[2] or 1)
        rest = rest[m.end():]
    return out


def unescape(m):
    if m[1][0] == "x" and len(m[1]) == 3:
        return chr(int(m[1][1:], 16))
    return {"r": "\r", "n": "\n", "t": "\t", "0": "\0"}.get(m[1], m[1])


def set_key(case, key, value):
    if key == "send":
        case.send = unquote(value, case.where)
    elif key == "reply":
        case.reply = unquote(value, case.where)
    elif key == "status":
        case.status = [] if value == "none" else [int(word) for word in value.split()]
    elif key == "requests":
        case.requests = [] if value == "none" else value.split()
    elif key in ("lacks", "gets", "reaches"):
        getattr(case, key).append(unquote(value, case.where))
    elif key == "with":
        case.lines.append(value)
    elif key == "after":
        case.after = value
        if value not in ("open", "closed", "either"):
            sys.exit("%s: after is open, closed or either" % case.where)
    elif key in ("end", "shut"):
        setattr(case, key, value == "yes")


def read_cases(folder):
    cases = []
    for name in sorted(os.listdir(folder)):
        pairs = []
        for number, line in enumerate(open(os.path.join(folder, name), encoding="ascii"), 1):
            if line[0] in " \t" and line.strip():
                pairs[-1][1] += " " + line.strip()
            elif line.strip() and line[0] != "#":
                key, colon, value = line.partition(":")
                if not colon or key not in KEYS:
                    sys.exit("%s:%d: %s" % (name, number, line))
                pairs.append([key, value.strip(), "%s:%d" % (name, number)])
        for key, value, where in pairs:
            if key == "case":
                cases.append(Case(value, where))
            else:
                set_key(cases[-1], key, value)
    return cases


# ---- strict parsers of what arrived ----

class Malformed(Exception):
    pass


def parse_fields(lines):
    fields = {}
    for line in lines:
        m = re.fullmatch(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*", line)
        if not m:
            raise Malformed("field line %r" % line)
        fields.setdefault(m[1].lower(), []).append(m[2])
    return fields


def parse_chunks(data):
    """Payload and rest; None: incomplete."""
    payload = b""
    while True:
        line, found, rest = data.partition(b"\r\n")
        if not found:
            return None
        m = re.fullmatch(rb"([0-9a-fA-F]{1,15})(?:[ \t]*;[\t -~\x80-\xff]*|[ \t]*)", line)
        if not m:
            raise Malformed("chunk size %r" % line)
        size = int(m[1], 16)
        if size == 0:
            break
        if len(rest) < size + 2:
            return None
        if rest[size:size + 2] != b"\r\n":
            raise Malformed("no CRLF behind a chunk")
        payload, data = payload + rest[:size], rest[size + 2:]
    if rest.startswith(b"\r\n"):
        return payload, rest[2:]
    trailer, found, rest = rest.partition(b"\r\n\r\n")
    if not found:
        return None
    parse_fields(trailer.split(b"\r\n"))
    return payload, rest


def parse_body(fields, rest, default):
    lengths, codings = fields.get(b"content-length", []), fields.get(b"transfer-encoding", [])
    if codings:
        if lengths or len(codings) != 1 or codings[0].lower() != b"chunked":
            raise Malformed("framing %r %r" % (lengths, codings))
        return parse_chunks(rest)
    if lengths:
        if len(lengths) != 1 or not re.fullmatch(rb"[0-9]{1,18}", lengths[0]):
            raise Malformed("lengths %r" % lengths)
        size = int(lengths[0])
        return (rest[:size], rest[size:]) if len(rest) >= size else None
    return default


def split_head(data):
    head, found, rest = data.partition(b"\r\n\r\n")
    if not found:
        return None
    lines = head.split(b"\r\n")
    return lines[0], parse_fields(lines[1:]), rest


def parse_request(data):
    """Method, target and rest; None: incomplete."""
    if re.search(rb"(?<!\r)\n|\r(?!\n)", data.partition(b"\r\n\r\n")[0] + b"\r\n"):
        raise Malformed("bare CR or LF in %r" % data[:200])
    head = split_head(data)
    if not head:
        return None
    start, fields, rest = head
    m = re.fullmatch(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~\x80-\xff]+) (HTTP/1\.[01]|RTSP/1\.0)", start)
    if not m:
        raise Malformed("request line %r" % start)
    body = parse_body(fields, rest, (b"", rest))
    return body and (m[1], m[2], body[1])


def parse_response(data, method, ended):
    """Status, body and rest; None: incomplete."""
    head = split_head(data)
    if not head:
        return None
    start, fields, rest = head
    m = re.fullmatch(rb"HTTP/1\.[01] (\d\d\d)(?: .*)?", start)
    if not m:
        raise Malformed("status line %r" % start)
    status = int(m[1])
    if status < 200 or status in (204, 304) or method == b"HEAD":
        return status, b"", rest
    body = parse_body(fields, rest, (rest, b"") if ended else None)
    return body and (status, body[0], body[1])


# ---- one case: its origin and its client ----

class Run:
    def __init__(self, case, number, folder, dribble):
        self.case, self.dribble = case, dribble
        self.front = os.path.join(folder, "%df" % number)
        self.back = os.path.join(folder, "%db" % number)
        self.reached = []  # what each connection brought to the origin
        self.targets, self.problems, self.answers = [], [], []
        self.received, self.state = b"", "open"
        self.handlers = set()

    def listen(self):
        return ("listen c%s\n bind unix@%s\n%s server s unix@%s\n" %
                (os.path.basename(self.front), self.front,
                 "".join(" %s\n" % line for line in self.case.lines), self.back))

    async def serve(self):
        self.server = await asyncio.start_unix_server(self.origin, self.back)

    def problem(self, text):
        if text not in self.problems:
            self.problems.append(text)

    async def origin(self, reader, writer):
        self.handlers.add(asyncio.current_task())
        number, at = len(self.reached), 0
        self.reached.append(b"")
        try:
            while True:
                more = await reader.read(65536)
                if not more:
                    break
                self.reached[number] += more
                while at is not None and not self.incomplete(number, at):
                    at = self.answer(writer, number, at)
                if at is None:
                    break
        except (ConnectionError, Malformed) as e:
            if isinstance(e, Malformed):
                self.problem("reached the origin: %s" % e)
        writer.close()

    def incomplete(self, number, at):
        return parse_request(self.reached[number][at:]) is None

    def answer(self, writer, number, at):
        """Answers a request that is complete; where the next one begins, None: nowhere."""
        method, target, rest = parse_request(self.reached[number][at:])
        first = not self.targets
        self.targets.append(target.decode("latin-1"))
        if first and self.case.reply is not None:
            writer.write(self.case.reply)
            if self.case.shut:
                writer.close()
                return None
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(target) +
                         (b"" if method == b"HEAD" else target))
        return len(self.reached[number]) - len(rest)

    async def read(self, sock):
        try:
            more = await asyncio.wait_for(self.loop.sock_recv(sock, 65536), PATIENCE)
        except ConnectionError:
            more = b""
        self.received += more
        if not more:
            self.state = "closed"

    async def write(self, sock):
        """What is sent behind an answer that closes is lost: no matter."""
        data = self.case.send
        size = len(data) if not self.dribble else 1 if len(data) < 2000 else 97
        try:
            for i in range(0, len(data), size):
                await self.loop.sock_sendall(sock, data[i:i + size])
                await asyncio.sleep(0)
            if self.case.end:
                sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def parse_answers(self, methods):
        """Statuses and bodies of complete answers."""
        data, answers, methods = self.received, [], list(methods)
        while data:
            one = parse_response(data, methods[0] if methods else b"GET", self.state == "closed")
            if not one:
                break
            answers.append(one[:2])
            if one[0] >= 200 and methods:
                methods.pop(0)
            data = one[2]
        return answers

    async def client(self):
        case = self.case
        methods = re.findall(rb"(?:^|\n)([A-Z]+) [/*a]", case.send)
        self.loop = asyncio.get_running_loop()
        sock = socket.socket(socket.AF_UNIX)
        sock.setblocking(False)
        await self.connect(sock)
        writing = asyncio.ensure_future(self.write(sock))
        try:
            while self.state == "open" and (case.after == "closed" or
                                            len(self.parse_answers(methods)) < len(case.status)):
                await self.read(sock)
            self.answers = self.parse_answers(methods)
            await writing
            if self.state == "open":
                await self.probe(sock, methods)
        except asyncio.TimeoutError:
            self.answers = self.parse_answers(methods)
            self.problem("nothing more came for %d s, %r" % (PATIENCE, self.received[:300]))
        except Malformed as e:
            self.problem("reached the client: %s" % e)
        writing.cancel()
        sock.close()

    async def connect(self, sock):
        """A path that exists may not be listened on yet."""
        for _ in range(int(PATIENCE * 100)):
            try:
                return await self.loop.sock_connect(sock, self.front)
            except ConnectionRefusedError:
                await asyncio.sleep(0.01)
        sys.exit("%s is not listened on" % self.front)

    async def probe(self, sock, methods):
        try:
            await self.loop.sock_sendall(sock, SENTINEL)
        except ConnectionError:
            self.state = "closed"
            return
        count = len(self.answers) + 1
        while self.state == "open" and len(self.parse_answers(methods + [b"GET"])) < count:
            await self.read(sock)
        answers = self.parse_answers(methods + [b"GET"])
        if self.state == "closed" and self.case.after == "either":
            return
        if answers[-1:] != [(200, b"/sentinel")]:
            self.problem("the request behind got %r" % answers[-1:])

    def judge(self):
        case = self.case
        statuses = [status for status, _ in self.answers]
        if statuses != case.status:
            self.problem("status %s, not %s" % (statuses, case.status))
        if case.after not in ("either", self.state):
            self.problem("connection %s, not %s" % (self.state, case.after))
        targets = [t for t in self.targets if t != "/sentinel"]
        if targets != case.requests:
            self.problem("reached the origin: %s, not %s" % (targets, case.requests))
        for text in case.lacks:
            if any(text.lower() in raw.lower() for raw in self.reached + [self.received]):
                self.problem("%r was passed on" % text)
        for text in case.reaches:
            if not any(text.lower() in raw.lower() for raw in self.reached):
                self.problem("%r did not reach the origin" % text)
        for text in case.gets:
            if text not in self.received:
                self.problem("%r did not reach the client" % text)
        return self.problems


# ---- the program ----

CONFIG = """global
 log-tag smuggling
defaults
 mode http
 timeout connect 30s
 timeout client 60s
 timeout server 60s
"""


async def wait_for_sockets(process, runs):
    for _ in range(3000):
        if all(os.path.exists(run.front) for run in runs):
            return
        if process.poll() is not None:
            sys.exit("the program ended: %d" % process.returncode)
        await asyncio.sleep(0.01)
    sys.exit("the program does not listen")


async def run_all(program, cases, folder):
    runs = []
    for case in cases:
        for dribble in (False, True):
            runs.append(Run(case, len(runs), folder, dribble))
    config = os.path.join(folder, "cfg")
    with open(config, "w", encoding="latin-1") as f:
        f.write(CONFIG + "".join(run.listen() for run in runs))
    for run in runs:
        await run.serve()
    process = subprocess.Popen([program, "-db", "-f", config])
    try:
        await wait_for_sockets(process, runs)
        for i in range(0, len(runs), 8):
            await asyncio.gather(*(run.client() for run in runs[i:i + 8]))
    finally:
        process.terminate()
        code = process.wait()
    handlers = [task for run in runs for task in run.handlers]
    if handlers:
        await asyncio.wait(handlers, timeout=PATIENCE)
    return runs, code


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--program", default=os.environ.get("PENSTOCK", "./penstock"))
    parser.add_argument("--reference")
    parser.add_argument("folder", nargs="?", default=os.path.join(here, "../corpus/smuggling"))
    args = parser.parse_args()
    if args.reference:
        global PATIENCE
        PATIENCE = 2.0
    cases = read_cases(args.folder)
    with tempfile.TemporaryDirectory(prefix="ps") as folder:
        runs, code = asyncio.run(run_all(args.reference or args.program, cases, folder))
    bad = 0
    for run in runs:
        problems = run.judge()
        if problems:
            bad += 1
            print("%s: %s%s: %s" % (run.case.where, run.case.name, ", byte by byte" if run.dribble else "",
                                    "; ".join(p[:400] for p in problems)))
    if code not in (0, -15, 143):
        print("the program ended with %d" % code)
        bad += 1
    print("%d cases, each whole and byte by byte: %d of %d %s" %
          (len(cases), bad, len(runs), "differ" if args.reference else "failed"))
    return 0 if args.reference or (not bad and cases) else 1


if __name__ == "__main__":
    sys.exit(main())
