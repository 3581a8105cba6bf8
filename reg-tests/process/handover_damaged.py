# SPDX-License-Identifier: BSD-2-Clause
"""Damages what passes from one image of the parent to the next. By the name "wrapper" it is what
the parent executes as itself: it changes the text of the handover and executes the program. Else it
is the test, which begins a service for each kind of damage."""
import os, re, socket, subprocess, sys, threading, time


def on_lines(word, change):
    """change(rest of the line, how many there were before)"""
    def damage(text, _):
        out, n = [], 0
        for line in text.splitlines():
            if line.startswith(word + " "):
                line = word + " " + change(line[len(word) + 1:], n)
                n += 1
            out.append(line)
        return "\n".join(out) + "\n"
    return damage


def field(word, index, value):
    """Puts value, or value(n), in the place of a field of each such line."""
    def change(rest, n):
        words = rest.split()
        words[index] = str(value(n) if callable(value) else value)
        return " ".join(words)
    return on_lines(word, change)


def cut(part):
    return lambda text, _: text[:len(text) * part // 8]


def one_pid(text, _):
    """Both lines of workers name the first, with the channels of each."""
    first = re.search(r"^worker (\d+)", text, re.M).group(1)
    return field("worker", 0, first)(text, _)


def spare_is_worker(text, _):
    return field("spare", 1, re.search(r"^worker (\d+)", text, re.M).group(1))(text, _)


def one_channel(text, _):
    return field("worker", 4, re.search(r"^worker(?: \S+){4} (\d+)", text, re.M).group(1))(text, _)


def segment_of(word):
    return lambda text, _: field("segment", 0, re.search(r"^%s (\d+)" % word, text, re.M).group(1))(text, _)


def stranger(word, index):
    return lambda text, pid: field(word, index, pid)(text, pid)


DAMAGES = {
    "whole": lambda text, _: text,
    "empty": lambda text, _: "",
    "noise": lambda text, _: "\xff\x01 7\nworker\nworker x\nspare\nlistener\nwake -1\n\n" + "w" * 5000,
    "doubled": lambda text, _: text + text,
    "each line twice": lambda text, _: "".join(line + "\n" + line + "\n" for line in text.splitlines()),
    "backwards": lambda text, _: "\n".join(text.splitlines()[::-1]) + "\n",
    "workers are a stranger": stranger("worker", 0),
    "workers are one": one_pid,
    "workers are 1": field("worker", 0, 1),
    "workers are -1": field("worker", 0, -1),
    "workers are 0": lambda text, _: field("worker", 6, 0)(field("worker", 0, 0)(text, _), _),
    "workers are the parent": lambda text, _: field("worker", 0, os.getpid())(text, _),
    "workers have one channel": one_channel,
    "workers have no channel": field("worker", 4, -1),
    "workers have channels that are closed": field("worker", 4, 999),
    "workers have the output as channel": field("worker", 4, 1),
    "rows are wrong": field("worker", 1, lambda n: (0, 99999)[n % 2]),
    "rows are one": field("worker", 1, 1),
    "generations are huge": field("worker", 2, 4294967295),
    "the generation is 0": field("reloads", 3, 0),
    "the generation is the last": field("reloads", 3, 4294967294),
    "the spare is a stranger": stranger("spare", 1),
    "the spare is a worker": spare_is_worker,
    "the segment is a listener": segment_of("listener"),
    "the segment is an eventfd": segment_of("wake"),
    "workers are missing": lambda text, _: re.sub(r"^worker .*\n", "", text, flags=re.M),
    **{"the first %d eighths" % part: cut(part) for part in range(1, 8, 2)},
}


def wrapper():
    folder = os.path.dirname(sys.argv[0])
    program, given = os.environ["PROGRAM"], os.environ.get("PENSTOCK_HANDOVER")
    if given:
        with os.fdopen(os.dup(int(given)), "r+", errors="surrogateescape") as f, open(folder + "/kind") as kind:
            f.seek(0)
            name, pid = kind.read().split("/")
            text = DAMAGES[name](f.read(), int(pid))
            f.seek(0)
            f.truncate()
            f.write(text)
    os.execv(program, sys.argv)


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Case(threading.Thread):
    def __init__(self, name, folder, program, port):
        super().__init__()
        self.case, self.folder, self.program, self.port = name, folder, program, port
        self.failed, self.processes = [], set()

    def until(self, sentence, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.02)
        self.failed.append(sentence)

    def logged(self, text):
        with open(self.folder + "/log", errors="replace") as f:
            return f.read().count(text)

    def children(self):
        try:
            with open("/proc/%d/task/%d/children" % (self.parent.pid, self.parent.pid)) as f:
                pids = {int(pid) for pid in f.read().split()}
        except OSError:
            pids = set()
        self.processes |= pids
        return pids

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 20) as s:
                s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return s.recv(1000).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def start_it(self):
        os.mkdir(self.folder)
        with open(self.folder + "/cfg", "w") as f:
            f.write("global\n\tnbproc 2\n\tmaxconn 100\ndefaults\n\tmode http\n\ttimeout client 20s\n"
                    "frontend fe\n\tbind 127.0.0.1:%d\n\thttp-request return status 200\n" % self.port)
        with open(self.folder + "/wrapper", "w") as f:
            f.write("#!%s -S\n" % sys.executable + "import sys\nsys.path.insert(0, %r)\n"
                    "import handover_damaged\nhandover_damaged.wrapper()\n" % os.path.dirname(os.path.abspath(__file__)))
        os.chmod(self.folder + "/wrapper", 0o755)
        with open(self.folder + "/log", "w") as log:
            self.parent = subprocess.Popen(
                [self.folder + "/wrapper", "-W", "-f", self.folder + "/cfg"], executable=self.program,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, "PROGRAM": self.program})
        self.until("it starts", lambda: self.logged("Loading success."))

    def run(self):
        bystander = subprocess.Popen(["sleep", "100"])
        self.start_it()
        with open(self.folder + "/kind", "w") as f:
            f.write("%s/%d" % (self.case, bystander.pid))
        self.children()
        self.parent.send_signal(12)
        self.until("the new image comes", lambda: self.logged("Loading success.") > 1 or
                   self.logged("Reload failed") or self.parent.poll() is not None)
        if self.parent.poll() is not None:
            self.failed.append("the new image ends with %d" % self.parent.returncode)
        elif not self.answers():
            self.failed.append("nobody answers")
        if self.logged("is damaged") != (self.case not in SOUND):
            self.failed.append("what the log says of it")
        self.children()
        began = time.monotonic()
        self.parent.terminate()
        self.until("it ends on SIGTERM", lambda: self.parent.poll() is not None)
        if time.monotonic() - began > 9:
            self.failed.append("it ends, but had to kill")
        if self.parent.poll() not in (0, None):
            self.failed.append("it ends with %d" % self.parent.returncode)
        self.until("all its processes end", lambda: not any(alive(pid) for pid in self.processes))
        if bystander.poll() is not None:
            self.failed.append("a stranger was ended by signal %d" % -bystander.returncode)
        if re.search("Sanitizer|runtime error:", open(self.folder + "/log", errors="replace").read()):
            self.failed.append("a sanitizer says so")
        for pid in self.processes:
            if self.failed and alive(pid):
                os.kill(pid, 9)
        if self.parent.poll() is None:
            self.parent.kill()
            self.parent.wait()
        bystander.kill()
        bystander.wait()


# As long as it was before, and each line for itself makes sense.
SOUND = {"whole", "rows are one"}


def main():
    from service import check, finish, free_ports
    folder, program = sys.argv[1:3]
    only = sys.argv[3:] or list(DAMAGES)
    cases = [Case(name, "%s/%d" % (folder, n), os.path.abspath(program), port)
             for n, (name, port) in enumerate(zip(only, free_ports(len(only))))]
    for begin in range(0, len(cases), 10):
        some = cases[begin:begin + 10]
        for case in some:
            case.start()
        for case in some:
            case.join()
            check("%s: %s" % (case.case, ", ".join(case.failed) or "it serves on, and ends"), not case.failed)
            if case.failed:
                print(open(case.folder + "/log", errors="replace").read())
    finish()


if __name__ == "__main__":
    main()
