#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A change that only the new configuration can make, while its workers start: those that are still to be
# replaced go on without it.
. "${0%/*}/../lib.sh"

parent=$dir/parent.sock
{ printf '\tnbproc 2\n'; tcp_proxy; } | config
start_penstock -W -S "$parent"
python3 - "$parent" "$stats" "$dir/cfg" "$srcdir/reg-tests/process" <<'PY' || failures=1
import sys, threading
path, stats, cfg, tools = sys.argv[1:5]
sys.path.insert(0, tools)
sys.argv = sys.argv[:1]
from service import ask, check, finish

wanted, over = "s1", False

def ask_for_it():
    while not over:
        try:
            ask(stats, "disable server be/" + wanted)
        except OSError:
            pass  # whoever was asked has ended

askers = [threading.Thread(target=ask_for_it) for _ in range(4)]
for t in askers:
    t.start()
for n in range(4):
    wanted = f"extra{n}"
    with open(cfg, "a") as f:
        f.write(f"\tserver {wanted} 127.0.0.1:1\n")
    check(f"reload {n} succeeds", ask(path, "reload").startswith("Success=1"))
over = True
for t in askers:
    t.join()
check("the last server is there", f"extra{n}" in ask(stats, "show servers state be"))
finish()
PY
check "no worker has ended over it" test "$(grep -c 'cannot be applied' "$log")" -eq 0
finish
