# SPDX-License-Identifier: BSD-2-Clause
"""What reload_changes.sh describes."""

import threading

from service import Service, ask, check, finish
service = Service()
path, stats, cfg = service.args.parent, service.args.stats, service.cfg

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
