# SPDX-License-Identifier: BSD-2-Clause
"""What a program says to the cases of Lua scripts in cases/.

compare.py PROGRAM GROUP...          prints what it says; GROUP/CASE is one case alone
compare.py check PROGRAM GROUP...    compares with GROUP.answers, but for deviations.txt
compare.py record PROGRAM GROUP...   writes GROUP.answers, if it says the same thing twice

With LATER=2.8 in the environment the answers are those of that version: GROUP.2.8 has the cases in
which it says something else than GROUP.answers, and deviations.txt, which is ours, does not count.

deviations.txt has lines "GROUP/CASE,CASE...: REASON", for cases that are not compared, and
"GROUP/CASE,CASE... [WHAT, WHAT...]: REASON": WHAT is how lines begin that are left out ("errors":
the texts of errors). A line with a tab in front continues one. With NO_DEVIATIONS=1 everything is
compared: so the reference is judged.

GROUP.lua is loaded after prelude.lua ("global per-thread": for each thread). GROUP.txt has lines
"global LINE" of the configuration, "section" up to "end" (sections of it), "file NAME" up to
"end" (a file at hand), "begun TEXT" (it has, when this is in the log), then the cases:

case NAME [tcp]   the proxy NAME in mode http or tcp; lines with a tab in front are its rules.
                  Without rules: "http-request lua.NAME". What follows are the steps:
get TARGET [HEADER|HEADER...]   a request (on the connection that is open), an answer
put TEXT                        the same, the request as it is, with escapes of Python
big METHOD TARGET SIZE          the same, with a body of this size
send TEXT                       bytes
expect TEXT                     what is received, up to this text
shut                            the end of what is sent, all that is received
new                             a new connection
sort                            headers of answers are sorted by their names from here on
wait TEXT                       until this is in the log or on the standard error
pause MILLISECONDS
cli COMMAND                     what the stats socket answers

Without steps: "get /NAME?q=1 X-A: 1|x-a: 2", or "shut". Each connection begins with a header of
the PROXY protocol, for fixed addresses. The standard error is said as well."""
import difflib
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from http1 import Reader
from origin import serve_each

PATIENCE = float(os.environ.get("PATIENCE", 60))
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
PROXY = b"PROXY TCP4 192.0.2.7 192.0.2.8 1234 80\r\n"
LEVELS = "emerg alert crit err warning notice info debug".split()
SAID = """ http-request return status 200 content-type text/plain lf-string %[var(txn.said)]\
 if { var(txn.said) -m found }
 http-after-response set-header x-said %[var(res.said)] if { var(res.said) -m found }"""


def read_file(name):
    with open(name, errors="surrogateescape") as f:
        return f.read()


def unescape(text):
    return text.encode("utf-8").decode("unicode_escape").encode("latin-1")


class Case:
    def __init__(self, name, mode):
        self.name, self.mode = name, mode
        self.rules, self.steps = [], []


class Group:
    def __init__(self, name, only):
        self.name = name
        self.globals, self.sections, self.files, self.cases = [], [], {}, []
        self.begun = []
        lines = iter(read_file(os.path.join(HERE, name + ".txt")).splitlines())
        for line in lines:
            word, _, rest = line.partition(" ")
            if not line or line.startswith("#"):
                continue
            if line.startswith("\t"):
                self.cases[-1].rules.append(line[1:])
            elif word == "case":
                self.cases.append(Case(*(rest.split() + ["http"])[:2]))
            elif word == "global":
                self.globals.append(rest)
            elif word == "begun":
                self.begun.append(rest)
            elif word in ("section", "file"):
                block = []
                for inner in lines:
                    if inner == "end":
                        break
                    block.append(inner)
                if word == "file":
                    self.files[rest] = "\n".join(block) + "\n"
                else:
                    self.sections += block
            else:
                self.cases[-1].steps.append((word, rest))
        if only:
            self.cases = [case for case in self.cases if case.name in only]

    def configuration(self, folder, log):
        lines = ["global", f" stats socket {folder}/cli level admin", " nbthread 1",
                 " hard-stop-after 1s", " log-tag tag", " lua-prepend-path ./?.lua",
                 f" log 127.0.0.1:{log} len 8192 format rfc3164 local0 debug"]
        load = "lua-load"
        if "per-thread" in self.globals:
            load = "lua-load-per-thread"
        lines += [" " + line for line in self.globals if line != "per-thread"]
        lines += [f" {load} prelude.lua", f" {load} {self.name}.lua", "defaults", " mode http",
                  " log global", " timeout client 10s", " timeout server 10s",
                  " timeout connect 10s", " timeout tarpit 100ms", " timeout http-request 10s"]
        lines += self.sections
        for case in self.cases:
            lines += [f"listen {case.name}", f" mode {case.mode}",
                      f" bind unix@{folder}/{case.name}.s accept-proxy"]
            rules = case.rules or [f"http-request lua.{case.name}"]
            if case.mode == "http":
                lines.append(' log-format "access %ft %b/%s %ST %tsc %{+Q}r"')
            else:
                lines.append(' log-format "access %ft %b/%s %ts said=%[var(txn.said)]"')
            lines += [" " + rule for rule in rules]
            lines += SAID.splitlines() if case.mode == "http" else []
            if not any(rule.startswith("server") for rule in rules):
                lines.append(f" server s unix@{folder}/origin")
        return "\n".join(lines) + "\n"


class Origin:
    """Echoes a request in the body of its answer; what is no request of HTTP, line by line.

    /status/N answers with this status; /chunked in chunks; /big with 200000 bytes; /end until the
    end of the connection; /bad nonsense; /drop nothing; /slow after 300 ms."""

    def __init__(self, folder):
        listeners = [socket.socket(socket.AF_UNIX), socket.socket()]
        listeners[0].bind(folder + "/origin")
        listeners[1].bind(("127.0.0.1", 0))
        self.port = listeners[1].getsockname()[1]
        for listener in listeners:
            listener.listen(100)
            serve_each(listener, self.serve)


    def serve(self, s):
        r = Reader(s)
        while b"\n" in r.held or r.more():
            if b"\n" not in r.held:
                continue
            if not re.match(rb"[A-Za-z]+ \S+ HTTP/1", r.held):
                line = r.until(b"\n")
                s.sendall(b"echo " + line + b"\n")
                if line.strip() == b"quit":
                    return
                continue
            head = r.head()
            if head is None:
                return
            body = r.body(head)
            if body is None or self.answer(s, head, body):
                return


    @staticmethod
    def answer(s, head, body):
        first = head.split(b"\r\n")[0]
        method, target = first.split(b" ")[:2]
        path = re.sub(rb"^https?://[^/]*", b"", target).split(b"?")[0]
        said = head.replace(b"\r\n", b"\n") + b"\n"
        said += b"body: %d bytes\n" % len(body) if len(body) > 1000 else b"body: " + body + b"\n"
        status = re.match(rb"/status/(\d+)", path)
        status = status.group(1) if status else b"200"
        fixed = b"HTTP/1.1 " + status + b" Fine\r\nX-Res: one, two\r\nX-Res: three\r\nServer: o\r\n"
        if path.startswith(b"/bad"):
            s.sendall(b"nonsense\r\n\r\n")
            return True
        if path.startswith(b"/drop"):
            return True
        if path.startswith(b"/slow"):
            time.sleep(0.3)
        if path.startswith(b"/big"):
            said = b"0123456789" * 20000
        if path.startswith(b"/chunked"):
            half = len(said) // 2
            s.sendall(fixed + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(
                b"%x\r\n%s\r\n" % (len(piece), piece)
                for piece in (said[:half], said[half:], b"")))
        elif path.startswith(b"/end"):
            s.sendall(fixed + b"Connection: close\r\n\r\n" + said)
            return True
        elif method == b"HEAD" or status in (b"204", b"304"):
            s.sendall(fixed + b"\r\n")
        else:
            s.sendall(fixed + b"Content-Length: %d\r\n\r\n" % len(said) + said)
        return False


def modules(program):
    """Where modules in C lie that fit the Lua of a program."""
    said = subprocess.run([program, "-vv"], stdout=subprocess.PIPE, check=False).stdout.decode()
    version = re.search(r"Lua version : Lua (\d\.\d)", said)
    machine = os.uname().machine + "-linux-gnu"
    return f"/usr/lib/{machine}/lua/{version.group(1) if version else '5.4'}"


class Program:
    def __init__(self, program, group, folder):
        self.group, self.folder = group, folder
        self.log = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.log.bind(("127.0.0.1", 0))
        self.log.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.refused = socket.socket()  # an address where nobody listens
        self.refused.bind(("127.0.0.1", 0))
        self.origin = Origin(folder)
        for name in ("prelude.lua", group.name + ".lua"):
            shutil.copy(os.path.join(HERE, name), folder)
        for name, text in group.files.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        with open(folder + "/cfg", "w") as f:
            f.write(group.configuration(folder, self.log.getsockname()[1]))
        ports = {"ORIGIN_PORT": self.origin.port, "REFUSED_PORT": self.refused.getsockname()[1]}
        self.hidden = {str(port): name for name, port in ports.items()}
        with open(folder + "/err", "ab") as err:  # its own position: reading must not move the program's
            self.process = subprocess.Popen(
                [program, "-db", "-f", "cfg"], cwd=folder, stdout=err, stderr=err,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **{name: str(port) for name, port in ports.items()},
                     "FOLDER": folder, "LUA_MODULES": modules(program)})
        self.err = open(folder + "/err", "rb")
        self.read = 0
        self.lines, self.logged = [], []
        self.lock = threading.Lock()
        threading.Thread(target=self.drain, daemon=True).start()

    def ready(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.cli("show info"):
                    return True
            except OSError:
                pass
            time.sleep(0.02)
        return False

    def wait_for(self, text):
        """Until this is in the log or on the standard error."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.collect()
            if any(text in line for line in self.lines):
                return True
            time.sleep(0.01)
        return False

    def cli(self, command):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(PATIENCE)
        s.connect(self.folder + "/cli")
        s.sendall(unescape(command) + b"\n")
        got = b""
        try:
            while piece := s.recv(65536):
                got += piece
        except OSError:
            got += b"(no end)"
        s.close()
        return got

    def normal(self, text):
        text = text.replace(self.folder, "FOLDER")
        for port, name in self.hidden.items():
            text = re.sub(rf"\b{port}\b", name, text)
        text = text.replace(f"({self.process.pid})", "(PID)")
        text = re.sub(r"\b0x[0-9a-f]{6,}", "0xADDRESS", text)
        text = re.sub(r"\.lua:\d+", ".lua:N", text)
        text = re.sub(r"\[state-id [1-9]\d*\]", "[state-id THREAD]", text)
        return re.sub(r"( from) (\[C\]|[\w./]+\.lua:N).*", r"\1 TRACE", text)

    def drain(self):
        """Only so many datagrams fit in the socket."""
        while self.process.poll() is None:
            if select.select([self.log], [], [], 1)[0]:
                self.take()

    def take(self):
        with self.lock:
            while select.select([self.log], [], [], 0)[0]:
                self.logged.append(self.log.recv(65536).decode(errors="replace").rstrip("\n"))

    def collect(self):
        """Lines of the log and the standard error, as they are now."""
        self.take()
        with self.lock:
            logged, self.logged = self.logged, []
        for text in logged:
            if "<HTTPCLIENT>" in text:
                continue  # an access line of another stream, with its times
            m = re.match(r"<(\d+)>\w+ +\d+ [\d:]+ (?:\S+ )?tag\[\d+\]: (.*)", text, re.S)
            if m:
                self.lines.append(f"log {LEVELS[int(m.group(1)) % 8]}: {m.group(2)}")
            else:
                self.lines.append("log? " + text)
        self.err.seek(self.read)
        got = self.err.read()
        whole = got[:got.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.decode(errors="replace").splitlines():
            if re.match(r"\[NOTICE\]|\[WARNING\].* : parsing \[cfg:", line):
                continue  # about the program, and the configuration, which is only made
            line = re.sub(r"^(\[\w+\] +)\d+/\d+ \(\d+\)", r"\1(PID)", line)
            line = re.sub(r"^(\[\w+\] +)\d+/\d+", r"\1DATE", line)
            self.lines.append("stderr: " + line)

    def quiet(self, case):
        """Until no session of the case is left; what was logged is then in the socket."""
        left = re.compile(rb" fe=%s " % case.encode())
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if not left.search(self.cli("show sess")):
                    break
            except OSError:
                pass
            time.sleep(0.01)

    def said_lines(self):
        """What was logged since; "log+" what is on the standard error as well."""
        self.collect()
        lines, self.lines = self.lines, []
        lines = [printable(self.normal(line)) for line in lines]
        logged = [line for line in lines if line.startswith("log")]
        for line in lines:
            text = line.split(" : ", 1)[-1]
            same = [i for i, other in enumerate(logged)
                    if other.startswith("log ") and other.split(": ", 1)[1] == text]
            if line.startswith("stderr") and same:
                logged[same[0]] = "log+" + logged[same[0]][3:]
            elif line.startswith("stderr"):
                logged.append(line)
        return logged

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.err.close()
        return self.process.returncode


def printable(text):
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def body_lines(body):
    """Lines of a body with a bar in front; a long one is told by its length and a hash."""
    if len(body) > 9000:
        import zlib
        return [f"| ({len(body)} bytes, crc {zlib.crc32(body):08x})"]
    if not body:
        return []
    text = body.decode("latin-1").replace("%0A", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "\\"  # no end of line
    return ["| " + printable(line) for line in lines]


class Talk:
    def __init__(self, program, case):
        self.program, self.case = program, case
        self.s = None
        self.got = b""
        self.out = []
        self.sorted = False

    def connection(self):
        if not self.s:
            self.s = socket.socket(socket.AF_UNIX)
            self.s.settimeout(PATIENCE)
            self.s.connect(f"{self.program.folder}/{self.case.name}.s")
            self.s.sendall(PROXY)
            self.got = b""
        return self.s

    def close(self):
        if self.s:
            self.s.close()
            self.s = None

    def send(self, data):
        try:
            self.connection().sendall(data)
        except OSError:
            pass  # it has ended, as is seen then

    def more(self):
        try:
            piece = self.connection().recv(65536)
        except TimeoutError:
            self.out.append("(nothing comes)")
            return False
        except OSError:
            return False
        self.got += piece
        return bool(piece)

    def answer(self, method):
        while b"\r\n\r\n" not in self.got:
            if not self.more():
                self.out += body_lines(self.got) + ["(end of connection)"]
                self.close()
                return
        head, self.got = self.got.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        if self.sorted:
            lines[1:] = sorted(lines[1:], key=lambda line: line.split(":")[0].lower())
        self.out += [printable(line) for line in lines if not line.lower().startswith("date:")]
        status = lines[0].split(" ")[1] if " " in lines[0] else ""
        if status.startswith("1") and status != "101":
            self.answer(method)
            return
        body, whole = b"", True
        length = re.search(rb"(?im)^content-length: *(\d+)", head)
        if method == "HEAD" or status in ("204", "304"):
            pass
        elif re.search(rb"(?im)^transfer-encoding:.*chunked", head):
            whole = False
            while True:
                m = re.match(rb"([0-9a-fA-F]+)[^\r]*\r\n", self.got)
                if m and len(self.got) >= m.end() + int(m.group(1), 16) + 2:
                    size = int(m.group(1), 16)
                    body += self.got[m.end():m.end() + size]
                    self.got = self.got[m.end() + size + 2:]
                    if not size:
                        whole = True
                        break
                elif not self.more():
                    break
        else:
            wanted = int(length.group(1)) if length else None
            while wanted is None or len(self.got) < wanted:
                if not self.more():
                    whole = wanted is None
                    break
            body = self.got[:wanted]
            self.got = self.got[len(body):]
            if wanted is None:
                self.close()
        self.out += body_lines(body)
        if not whole:
            self.out.append("(cut)")
            self.close()

    def step(self, word, rest):
        out = self.out
        if word == "get":
            target, _, headers = rest.partition(" ")
            lines = [f"GET {target} HTTP/1.1", "Host: h"] + (headers.split("|") if headers else [])
            out.append("> " + lines[0])
            self.send("\r\n".join(lines + ["", ""]).encode("latin-1"))
            self.answer("GET")
        elif word == "put":
            data = unescape(rest)
            out.append("> " + rest.split("\\r")[0])
            self.send(data)
            self.answer(data.split(b" ")[0].decode())
        elif word == "big":
            method, target, size = rest.split()
            out.append("> " + rest)
            head = f"{method} {target} HTTP/1.1\r\nHost: h\r\nContent-Length: {size}\r\n\r\n"
            self.send(head.encode() + b"0123456789" * (int(size) // 10))
            self.answer(method)
        elif word == "send":
            out.append("> " + rest)
            self.send(unescape(rest))
        elif word == "expect":
            wanted = unescape(rest)
            while wanted not in self.got:
                if not self.more():
                    break
            cut = self.got.find(wanted) + len(wanted) if wanted in self.got else len(self.got)
            out += body_lines(self.got[:cut])
            self.got = self.got[cut:]
        elif word == "shut":
            try:
                self.connection().shutdown(socket.SHUT_WR)
            except OSError:
                pass
            while self.more():
                pass
            out += body_lines(self.got) + ["(end of connection)"]
            self.close()
        elif word == "sort":
            self.sorted = True
        elif word == "new":
            self.close()
        elif word == "pause":
            time.sleep(int(rest) / 1000)
        elif word == "wait":
            if not self.program.wait_for(rest):
                out.append(f"(never: {rest})")
        elif word == "cli":
            out.append("> cli " + rest)
            out += body_lines(self.program.cli(rest))
        else:
            sys.exit(f"{self.case.name}: what is {word}?")

    def run(self):
        steps = self.case.steps
        if not steps:
            steps = [("get", f"/{self.case.name}?q=1 X-A: 1|x-a: 2")]
            if self.case.mode == "tcp":
                steps = [("shut", "")]
        for word, rest in steps:
            try:
                self.step(word, rest)
            except OSError as e:
                self.out.append(f"({word}: {type(e).__name__})")
        self.close()
        self.program.quiet(self.case.name)
        return [self.program.normal(line) for line in self.out] + self.program.said_lines()


def answers(program, name, only):
    """{case: lines}, the case "start" is what is said before the first one. Where the program ends
    amid the cases, the rest is asked of another one."""
    group = Group(name, only)
    said = answers_of_one(program, group)
    rest = {case.name for case in group.cases if case.name not in said}
    if rest and len(said) > 1:
        more = answers(program, name, rest)
        del more["start"]
        said.update(more)
    return said


def answers_of_one(program, group):
    folder = tempfile.mkdtemp(prefix="lua")
    said = {}
    try:
        p = Program(program, group, folder)
        try:
            ready = p.ready()
            for text in group.begun:
                p.wait_for(text)
            said["start"] = p.said_lines()
            if not ready:
                said["start"].append("(does not start)")
                return said
            for case in group.cases:
                said[case.name] = Talk(p, case).run()
                if os.environ.get("VERBOSE"):
                    print(text_of(group.name, {case.name: said[case.name]}), file=sys.stderr, flush=True)
                if p.process.poll() is not None:
                    said[case.name] = [f"(it has ended: {p.process.returncode})"]
                    break
        finally:
            p.end()
    finally:
        shutil.rmtree(folder)
    return said


def text_of(name, said):
    return "".join(f"== {name}/{case}\n" + "".join(line + "\n" for line in lines)
                   for case, lines in said.items())


LATER = os.environ.get("LATER", "")


def read_answers(path):
    said = {}
    for line in read_file(path).splitlines():
        if line.startswith("== "):
            lines = said[line.split("/", 1)[1]] = []
        else:
            lines.append(line)
    return said


def recorded(name):
    said = read_answers(os.path.join(HERE, name + ".answers"))
    later = os.path.join(HERE, f"{name}.{LATER}")
    if LATER and os.path.exists(later):
        said.update(read_answers(later))
    return said


def deviations(name):
    """{case: what is not compared}: "all", "errors" or how lines begin."""
    known = {}
    if LATER or os.environ.get("NO_DEVIATIONS"):
        return known
    text = read_file(os.path.join(HERE, "..", "deviations.txt"))
    for line in text.replace("\n\t", " ").splitlines():
        m = re.match(r"([\w-]+)/(\S+?)(?: \[(.*?)\])?: ", line)
        if m and m.group(1) == name:
            parts = m.group(3).split(", ") if m.group(3) else ["all"]
            for case in m.group(2).split(","):
                known.setdefault(case, set()).update(parts)
    return known


# Texts of errors that are the reference's own: another text says the same.
OWN = re.compile(
    r"needs .*argument|requires .*argument|expects? .*argument|\((null)\)|argument expected"
    r"|unable to duplicate|error in arguments|argument casting|\(integer expected|doesn't exist"
    r"|Invalid loglevel|Bad log level|bad argument #\d+ to '\w+' \(.*regex|is invalid \(error="
    r"|userdata|invalid regex|only allowed in|not allowed|no integer representation")
# Texts of an error that nobody has meant.
CRASHED = re.compile(r"attempt to |not supported yet|for iterator")


def plain(lines, case, without):
    """The lines as they are compared; what is no difference is taken away."""
    parts = []
    for line in lines:
        line = re.sub(r"^log\+ ", "log ", line)
        if case == "start" and re.match(r"stderr: (cfg:| +(\d+ )?\||\[(info|NOTICE)\])", line):
            continue
        if re.match(r"log notice: (New worker|Loading success)", line):
            continue
        line = line.replace("[state-id THREAD]", "[state-id 0]")
        line = line.replace("unknown runtime error from .", "unknown runtime error.")
        line = line.replace(" This will become a hard error in version 2.5.", "")
        line = re.sub(r"(?<=^)(\| )?[\w-]+(?=: )", lambda m: m.group().lower(), line)
        if re.fullmatch(r"(\| )?content-length: \d+", line):
            continue  # it follows from texts, and a wrong one cuts the body
        if re.search(r"x-said: |said=", line):
            line = line.replace("; ", "\n| ").replace("x-said: ", "x-said:\n| ")
            line = line.replace("said=", "said=\n| ")
        parts += [part.rstrip() for part in line.split("\n")]
    if case == "start":
        parts.sort()  # workers begin side by side
    # When the access line is written says nothing: it is behind all others here.
    parts.sort(key=lambda part: part.startswith("log info: access "))
    return [part for part in parts if not any(part.removeprefix("| ").startswith(word)
                                                for word in without)]


def same_line(wanted, said, any_text):
    if wanted == said:
        return True
    form = r"(.*?(?:\b(?:error|raised|false) (?=[^ ])|runtime error: ))(.*)"
    w, s = re.fullmatch(form, wanted), re.fullmatch(form, said)
    return bool(w and s and w.group(1) == s.group(1) and not CRASHED.search(s.group(2)) and
                (any_text or OWN.search(w.group(2))))


def check(program, name, only):
    """Prints what differs; the number of cases that should be the same."""
    wanted, said, known, wrong = recorded(name), answers(program, name, only), deviations(name), 0
    left = 0
    for case in wanted:
        without = known.get(case, set())
        if only and case not in only:
            continue
        if "all" in without or re.match(r"\((varies|it has ended)", "".join(wanted[case][:1])):
            left += 1
            continue
        want = plain(wanted[case], case, without)
        have = plain(said.get(case, ["(nothing)"]), case, without)
        same = [same_line(w, h, "errors" in without) for w, h in zip(want, have)]
        if len(want) != len(have) or not all(same):
            wrong += 1
            if len(want) == len(have):
                have = [w if ok else h for w, h, ok in zip(want, have, same)]
            print("\n".join(difflib.unified_diff(want, have, f"{name}/{case}", "now",
                                                 lineterm="", n=int(os.environ.get("LINES", 9)))))
    count = len(only) or len(wanted)
    print(f"{name}: {count - wrong - left} of {count} cases as recorded, {left} not compared")
    return wrong


def record(program, name):
    """False: it does not say the same thing twice. Of a later version those cases are left out."""
    first, second = (answers(program, name, set()) for _ in range(2))
    if LATER:
        before = read_answers(os.path.join(HERE, name + ".answers"))
        first = {case: lines for case, lines in first.items()
                 if plain(lines, case, ()) != plain(before.get(case, []), case, ())}
        for case in [case for case in first if first[case] != second.get(case)]:
            print(f"{name}/{case}: another answer each time")
            first[case] = ["(varies)"]
    elif first != second:
        print("\n".join(difflib.unified_diff(text_of(name, first).splitlines(),
                                             text_of(name, second).splitlines(), lineterm="", n=9)))
        return False
    with open(os.path.join(HERE, f"{name}.{LATER or 'answers'}"), "w") as f:
        f.write(text_of(name, first))
    return True


def main():
    words = sys.argv[1:]
    what = words.pop(0) if words[:1] in (["check"], ["record"]) else "print"
    if len(words) < 2:
        sys.exit(__doc__)
    program = shutil.which(words[0]) or words[0]
    program = os.path.abspath(program)
    groups, wrong = {}, 0
    for word in words[1:]:
        group, _, case = word.partition("/")
        groups.setdefault(group, set()).update({case} if case else set())
    for name, only in groups.items():
        if what == "check":
            wrong += check(program, name, only)
        elif what == "print":
            print(text_of(name, answers(program, name, only)), end="", flush=True)
        else:
            wrong += not record(program, name)
    sys.exit(wrong > 0)


main()
