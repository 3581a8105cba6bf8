#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What each command answers, good and wrong, with severities, on the stats socket and through the parent's,
beside HAProxy 2.6 and 2.8.

answers.py compare PROGRAM THREADS     asks Penstock each command; its answer must stand in answers.txt
answers.py reference PROGRAM NAME      asks a reference; its answer must be the one recorded under NAME
answers.py record 2.6=PROGRAM 2.8=PROGRAM here=PROGRAM     writes answers.txt to the standard output

answers.txt has, below each command, answers and who gives them. Where "here" stands it is another one by
intent; else Penstock answers as one of the others does."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 60


class Program:
    def __init__(self, path, threads):
        self.dir = tempfile.mkdtemp(prefix="penstock.")
        with open(self.dir + "/l.acl", "w") as f:
            f.write("/x\n/y\n")
        with open(self.dir + "/m.map", "w") as f:
            f.write("/a va\n/b vb\n")
        self.log = open(self.dir + "/log", "w+")
        self.process = subprocess.Popen(
            [path, "-W", "-db", "-S", self.dir + "/parent", "-f", HERE + "/answers.cfg"], stdout=self.log, stderr=self.log,
            stdin=subprocess.DEVNULL, env=dict(os.environ, DIR=self.dir, THREADS=str(threads)))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            try:
                if self.ask("show version") and "worker" in self.ask("@P show proc"):
                    return
            except OSError:
                time.sleep(0.02)
        self.log.seek(0)
        sys.exit(f"{path} does not start:\n{self.log.read()}")

    def ask(self, command):
        where = "/s"
        if command.startswith("@P "):
            command, where = command[3:], "/parent"
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            s.connect(self.dir + where)
            s.sendall(command.replace("DIR", self.dir).encode() + b"\n")
            s.shutdown(socket.SHUT_WR)
            said = b""
            while piece := s.recv(65536):
                said += piece
        return self.plain(said.decode("latin1"))

    def plain(self, said):
        """Without what is another one in each run, and without lists of commands."""
        said = said.replace(self.dir, "DIR").replace(HERE + "/", "")
        said = re.sub(r"\b0x[0-9a-f]+", "0xR", said)
        said = re.sub(r"\b2\.\d+\.\d+\S*", "VERSION", said)
        return re.sub(r"(Unknown command).*\n(  .*\n)+", r"\1\n", said)

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.dir)


def commands():
    with open(HERE + "/commands.txt") as f:
        return [line.rstrip("\n") for line in f if not line.startswith("#")]


def answers(path, threads):
    program = Program(path, threads)
    try:
        return [program.ask(command) for command in commands()]
    finally:
        program.end()


def recorded():
    """For each command who answers what."""
    all_of_them = []
    with open(HERE + "/answers.txt") as f:
        for line in f:
            if line.startswith("> "):
                all_of_them.append((line[2:-1], {}))
            elif line.startswith("= "):
                who = line[2:].split()
                for name in who:
                    all_of_them[-1][1][name] = ""
            elif line.startswith("  "):
                for name in who:
                    all_of_them[-1][1][name] += line[2:]
    if [command for command, _ in all_of_them] != commands():
        sys.exit("FAILED  answers.txt and commands.txt have other commands")
    return [said for _, said in all_of_them]


def record(programs):
    said = {name: answers(path, 1) for name, path in programs}
    print("# Made by answers.py record.")
    for i, command in enumerate(commands()):
        print("> " + command)
        given = {}
        for name in said:
            given.setdefault(said[name][i], []).append(name)
        for text, who in given.items():
            if who != ["here"] and "here" in who:
                who.remove("here")
            print("= " + " ".join(who))
            print("".join("  %s\n" % line for line in text.split("\n")[:-1]), end="")


def judge(path, threads, allowed):
    failures = 0
    for command, said, known in zip(commands(), answers(path, threads), recorded()):
        wanted = allowed(known)
        if said not in wanted:
            failures += 1
            print(f"FAILED  {command!r}: {said!r} instead of {' or '.join(map(repr, wanted))}")
    print(f"{len(commands())} commands, {failures} answered otherwise")
    return failures


def main():
    what, path = sys.argv[1:3]
    if what == "record":
        record([word.split("=", 1) for word in sys.argv[2:]])
        return 0
    if what == "reference":
        try:
            return judge(path, 1, lambda known: [known[sys.argv[3]]]) > 0
        except TimeoutError: # 2.8 once, while its workers began: nothing is known of it then
            print(f"{path} does not answer")
            return 0
    return judge(path, int(sys.argv[3]),
                 lambda known: [known["here"]] if "here" in known else list(known.values())) > 0


sys.exit(main())
