# SPDX-License-Identifier: BSD-2-Clause
"""Runs the commands of a page: lines that begin with "    $ ", with what follows up to END where
they have a here-document. The indented lines behind one are parts of what it says. What asks is
asked again until it says so; what changes something is done once."""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

ASKS = "curl", "penstock", "grep", "echo \"show"
PORTS = "8001", "8002", "8080", "8443"
LONGEST = 60


def commands(lines):
    """(command, lines that it says)"""
    found, document = [], False
    for line in lines:
        if not line.startswith("    ") and not (document and not line):
            document = False
        elif document:
            found[-1][0] += "\n" + line[4:]
            document = line != "    END"
        elif line.startswith("    $ "):
            found.append([line[6:], []])
            document = line.endswith("<<'END'")
        elif found and line.strip():
            found[-1][1].append(line.strip())
    return found


def run(command, folder, groups):
    with open(os.path.join(folder, ".said"), "w+", encoding="utf-8") as said:
        started = subprocess.Popen(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        if " &" in command:  # others have ended
            groups.append(started.pid)
        started.wait(LONGEST)
        said.seek(0)
        return said.read()


def holds(command, wanted, folder, groups):
    end = time.monotonic() + LONGEST
    while True:
        said = run(command, folder, groups)
        missing = [w for w in wanted if w not in said]
        if not missing or not command.startswith(ASKS) or command.endswith("&") or time.monotonic() > end:
            return missing, said
        time.sleep(0.05)  # between two questions


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--penstock", required=True)
    p.add_argument("--dir", required=True)
    p.add_argument("--ports", required=True)
    p.add_argument("page")
    args = p.parse_args()
    with open(args.page, encoding="utf-8") as f:
        text = f.read().replace("/tmp/first", args.dir + "/first")
    for port, free in zip(PORTS, args.ports.split()):
        text = re.sub(rf"\b{port}\b", free, text)
    here = os.path.join(args.dir, "bin")
    os.mkdir(here)
    os.symlink(os.path.abspath(args.penstock), os.path.join(here, "penstock"))
    os.environ["PATH"] = here + ":" + os.environ["PATH"]
    folder, groups, bad = args.dir, [], 0
    try:
        for command, wanted in commands(text.splitlines()):
            if command.startswith("cd "):
                folder = command[3:]
                continue
            missing, said = holds(command, wanted, folder, groups)
            bad += bool(missing)
            print("FAILED " if missing else "ok     ", command.splitlines()[0])
            if missing:
                print("wanted:", *missing, "said:", said, sep="\n")
    finally:
        for group in groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
    sys.exit(bool(bad))


main()
