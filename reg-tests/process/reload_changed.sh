#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The file changes between its validation and the moment at which the parent reads it: to one that has
# nothing to start, to none, to a pipe that nobody writes. The reload fails, the workers of before go
# on, the next one succeeds.
. "${0%/*}/../lib.sh"

# What the parent executes as itself puts "next" in the place of the file.
cat >"$dir/wrapper" <<END
#!$(command -v python3) -S
import os, sys
if "PENSTOCK_HANDOVER" in os.environ and os.path.lexists("$dir/next"):
    os.replace("$dir/next", "$dir/cfg")
os.execv("$PENSTOCK", sys.argv)
END
chmod +x "$dir/wrapper"
PENSTOCK=$dir/wrapper
: >"$dir/empty"
{ printf '\tnbproc 2\n'; http_defaults; cat <<END; } >"$dir/text"
frontend fe
	bind $front
	http-request return status 200
END
config <"$dir/text"
cp "$dir/cfg" "$dir/good"
sed '/bind/d; /stats/d' "$dir/good" >"$dir/deaf"
start_workers
driver - <<'PY' || failures=1
import os, shutil
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
PY
stop_penstock
finish
