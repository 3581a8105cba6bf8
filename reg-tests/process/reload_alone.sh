#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A reload comes while no worker lives, and its own first one is killed before it serves: there is
# none to go back to, so another one is started instead of ending the service.
. "${0%/*}/../lib.sh"

{ printf '\tpidfile %s/pid\n' "$dir"; http_proxy; } | config
start_workers
driver - <<'END' || failures=1
import os, signal
from service import Origin, Service, check, finish, until
service = Service()
origin = Origin(service.args.back)
pid, logged, children = service.pid, service.logged, service.children
signal.alarm(300)


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
