# SPDX-License-Identifier: BSD-2-Clause
"""What started_oddly.sh describes."""

import atexit
import contextlib
import os
import resource
import signal
import subprocess
import sys

from service import Service, check, finish, until

program = sys.argv.pop(1)
service = Service()
folder, log = service.args.dir, service.log
PLAIN = open(service.cfg).read()
# KILL and STOP cannot be, those of faults are the system's.
SIGNALS = [s for s in signal.valid_signals() if s not in (
    signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE) and s < 32]


def ignored():
    for signo in SIGNALS:
        signal.signal(signo, signal.SIG_IGN)


def blocked():
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)


def closed(*fds):
    return lambda: [os.close(fd) for fd in fds]


def alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def standard(pid):
    """Where the descriptors lead that an earlier process had closed, or has given back."""
    return {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1, 2)} - {log}


def begin(mode, before):
    for name in "pid", "stats.sock":
        if os.path.exists(f"{folder}/{name}"):
            os.remove(f"{folder}/{name}")
    with open(log, "w") as out:
        started = subprocess.Popen([program, *mode, "-f", service.cfg], preexec_fn=before,
                                   restore_signals=False, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    if "-D" in mode:
        check("the caller's process returns 0", started.wait() == 0)
    until("it serves", lambda: open(f"{folder}/pid").read().endswith("\n") and service.get() == 200)
    service.pid = int(open(f"{folder}/pid").read())
    atexit.register(end, service.pid)
    return started


def end(pid):
    """When the test itself fails."""
    with contextlib.suppress(OSError):
        if service.cfg in open(f"/proc/{pid}/cmdline").read():
            os.kill(pid, signal.SIGTERM)


def replaces_and_reloads():
    victim = min(service.children())
    os.kill(victim, signal.SIGKILL)
    until("a killed worker is replaced", lambda: victim not in service.children() and len(service.workers()) == 2)
    service.reload()


def round_of(name, mode, before, workers):
    print(f"# {name}, {' '.join(mode)}")
    started = begin(mode, before)
    if workers:
        replaces_and_reloads()
    for pid in {service.pid} | service.children():
        check(f"no descriptor of its own has the number of a standard one: {standard(pid)}", standard(pid) <= {"/dev/null"})
    check("it answers", service.get() == 200)
    children = service.children()
    os.kill(service.pid, signal.SIGTERM)
    until("it ends on SIGTERM", lambda: "-D" not in mode and started.poll() is not None or not alive(service.pid))
    check("with 0", started.poll() == 0)
    check("so do its workers", not any(alive(pid) for pid in children))


MODES = (["-db"], False), (["-W", "-S", service.args.parent], True), (["-W", "-S", service.args.parent, "-D"], True)
for mode, workers in MODES:
    with open(service.cfg, "w") as f:
        f.write(PLAIN.replace("global\n", "global\n\tnbproc 2\n") if workers else PLAIN)
    for name, before in (("signals ignored", ignored), ("signals blocked", blocked),
                         ("0, 1, 2 closed", closed(0, 1, 2)), ("1 closed", closed(1)))[0 if workers else 1:]:
        round_of(name, mode, before, workers)


# The log is a pipe: it has no size.
said = subprocess.run([program, "-W", "-f", service.cfg], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                      stderr=subprocess.STDOUT, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
check(f"ulimit -f: it says what is missing, and ends with 1 ({said.returncode}): {said.stdout.strip()}",
      said.returncode == 1 and "File too large" in said.stdout and "ulimit -f" in said.stdout)
finish()
