#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the commands on maps and ACLs answer, beside what the reference answered.

maps.py record SOCKET     asks each command of commands.txt and writes the answers
maps.py compare SOCKET    compares the answers with answers.txt
maps.py together A B      compares what two programs say

"{entry FILE KEY}" in a command stands for the reference of the entry, as "show" gives it. Where
ours differs by intent, deviations.txt has the command, and what is said here."""

import os
import re
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def ask(path, line):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(path)
    s.sendall(line.encode("latin1") + b"\n")
    s.shutdown(socket.SHUT_WR)
    said = b""
    while True:
        piece = s.recv(65536)
        if not piece:
            return said.decode("latin1")
        said += piece


def entry(path, match):
    """The reference of the first entry with this key."""
    for line in ask(path, "show acl " + match.group(1)).split("\n") + \
            ask(path, "show map " + match.group(1)).split("\n"):
        words = line.split(" ")
        if len(words) > 1 and words[1] == match.group(2):
            return "#" + words[0]
    return "#0x1"


def plain(said, purged):
    """Without what is different in each run, and the list of commands of each program."""
    said = re.sub(r"(?m)^0x[0-9a-f]+ ", "0xREF ", said)
    said = re.sub(r"(Unknown command.*\n)(  .*\n)+", r"\1", said)
    said = re.sub(r"type=unknown\(0x[0-9a-f]+\)", "type=meth", said)
    said = re.sub(r"(?m)^\d+ \(\) acl 'var' file 'httpclient' .*\n", "", said)
    said = re.sub(r"file '[^']*/(maps.cfg)'", r"file '\1'", said)
    if purged:  # the reference counts what it has not freed yet
        said = re.sub(r"entry_cnt=\d+", "entry_cnt=N", said)
    return said


def commands():
    with open(os.path.join(HERE, "commands.txt")) as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("## ")]


def answers(path):
    purged = False
    made = []
    for command in commands():
        line = re.sub(r"\{entry (\S+) (\S+)\}", lambda m: entry(path, m), command)
        said = ask(path, line.replace("\\n", "\n").replace("\\t", "\t"))
        purged = purged or line.startswith(("clear ", "commit "))
        made.append((command, plain(said, purged)))
    return made


def write(made, out):
    for command, said in made:
        out.write("> %s\n" % command)
        out.write("".join("  %s\n" % line for line in said.split("\n")[:-1]))


def read(name):
    made = []
    with open(os.path.join(HERE, name)) as f:
        for line in f:
            if line.startswith("> "):
                made.append([line[2:-1], ""])
            elif line.startswith("  "):
                made[-1][1] += line[2:]
    return made


def compare(ours, theirs):
    """Prints what differs without being listed, or is listed and does not differ."""
    meant = [tuple(row) for row in read("deviations.txt")]
    bad = 0
    for (command, said), (_, expected) in zip(ours, theirs):
        if said == expected:
            continue
        if (command, said) in meant:
            meant.remove((command, said))
            continue
        bad += 1
        print("> %s\n  here:\n%s\n  reference:\n%s" % (command, said, expected))
    for command, _ in meant:
        bad += 1
        print("> %s\n  does not differ in the way that deviations.txt says" % command)
    print("%d commands, %d unlike the reference" % (len(ours), bad))
    return 1 if bad else 0


def main():
    what, path = sys.argv[1:3]
    if what == "record":
        write(answers(path), sys.stdout)
        return 0
    return compare(answers(path), answers(sys.argv[3]) if what == "together" else
                   read("answers.txt"))


sys.exit(main())
