# SPDX-License-Identifier: BSD-2-Clause
"""What reload_changed.sh describes."""

import os
import shutil

from service import Service, check, finish
service = Service()
folder, cfg = service.args.dir, service.cfg
next_one = f"{folder}/next"


def cases():
    yield "it is emptied", lambda: shutil.copy(f"{folder}/empty", next_one)
    yield "nothing listens", lambda: shutil.copy(f"{folder}/deaf", next_one)
    yield "it leads nowhere", lambda: os.symlink("/nowhere", next_one)
    yield "it is a pipe", lambda: os.mkfifo(next_one)
    yield "it is cut in a word", lambda: open(next_one, "w").write(open(f"{folder}/good").read()[:-14])


for name, change in cases():
    before = service.workers()
    change()
    said = service.parent("reload")
    check(f"{name}: the reload fails", "Success=0" in said)
    check("the same workers serve", service.workers() == before and service.get() == 200)
    os.remove(cfg)
    shutil.copy(f"{folder}/good", cfg)
    service.reload()
    check("and is good again", service.get() == 200)
finish()
