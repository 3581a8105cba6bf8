#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A worker that was stopped (SIGSTOP) is left out of an answer that all give, and said to be.
. "${0%/*}/../lib.sh"

{ printf '\tnbproc 2\n\tstats timeout 2m\n'; tcp_proxy; } | config
start_workers
driver - <<'PY' || failures=1
import os, signal
from service import Service, ask, check, finish
service = Service()
path, stats = service.args.parent, service.args.stats

now = ask(path, "show proc").split("# workers\n")[1]
first, second = [int(line.split()[0]) for line in now.splitlines() if line.strip()]
os.kill(second, signal.SIGSTOP)
try:
    said = ask(stats, "show sess")
    check("it is said", f"Process {second} does not answer.\n" in said + "\n")
    check("the other is not meant", f"Process {first} " not in said)
finally:
    os.kill(second, signal.SIGCONT)
said = ask(stats, "show sess")
check("it answers when it goes on", "does not answer" not in said)
finish()
PY
finish
