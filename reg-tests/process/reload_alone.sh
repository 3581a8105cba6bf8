#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A reload comes while no worker lives, and its own first one is killed before it serves: there is none to
# go back to, so another one is started instead of ending the service.
. "${0%/*}/../lib.sh"

{ printf '\tpidfile %s/pid\n' "$dir"; http_proxy; } | config
start_penstock -W -S "$dir/parent.sock"
timeout 300 python3 - "$front" "$back" "$stats" "$dir/parent.sock" "$pid" "$dir" "$srcdir/reg-tests/process" <<'END' || failures=1
import os, signal, sys
front, back, stats, parent, pid, folder, tools = sys.argv[1:8]
sys.path.insert(0, tools)
sys.argv = sys.argv[:1] + ["--front", front, "--back", back, "--stats", stats, "--parent", parent]
from service import Origin, Service, check, finish, until
pid = int(pid)
service, origin = Service(), Origin(back)


def logged(text):
    with open(folder + "/log", errors="replace") as f:
        return f.read().count(text)


def children():
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(p) for p in f.read().split()]


def kill_children():
    for p in children():
        try:
            os.kill(p, signal.SIGKILL)
        except ProcessLookupError:
            pass


def replaced_later():
    kill_children()
    return logged("is replaced in") > waits


until("it serves", lambda: service.get() == 200)
for n in range(5):
    waits = logged("is replaced in")
    until("no worker lives", replaced_later)
    forks = logged(") forked")
    os.kill(pid, signal.SIGUSR2)
    while logged(") forked") == forks:
        pass
    kill_children()
    until("the service goes on", lambda: service.get() == 200)
check("the service never ended", not logged("nothing was started") and children())
finish()
END
stop_penstock
finish
