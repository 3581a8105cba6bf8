#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# When a flood of unfinished requests has passed, most of its memory goes back to the system; with
# no-memory-trimming it stays. No unfinished request holds more than 12 kB.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
sanitized && { say "a sanitizer gives nothing back"; exit 77; }
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] || { say "too few descriptors"; exit 77; }
ulimit -n 4096
for words in "" no-memory-trimming "tune.buffers.reserve 8"; do
	say "## ${words:-trimming}"
	{
		printf '\tmaxconn 1600\n\t%s\n' "$words"
		http_defaults
		printf 'frontend fe\n\tbind %s\n\thttp-request return status 200\n' "$front"
	} | config
	start_penstock
	driver - "$words" <<'END' || fail "memory of a flood"
import sys

words = sys.argv.pop(1)
from service import Service, check, connect, finish, until

service = Service()


def used():
    with open(f"/proc/{service.pid}/smaps_rollup") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))


service.get()
before = used()
held = [connect(service.args.front) for _ in range(1500)]
for s in held:
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Some: ab")
until("all are there", lambda: int(service.info()["CurrConns"]) >= 1500)
full = used()
for s in held:
    s.close()
until("all are gone", lambda: int(service.info()["CurrConns"]) <= 1)
check("%.1f kB a request" % ((full - before) / 1500), full - before < 1500 * 12)
if words == "no-memory-trimming":
    check("%d kB stay" % (used() - before), used() - before > (full - before) / 2)
else:
    until("it is given back", lambda: used() - before < (full - before) / 4)
    print("        %d kB, %d kB, %d kB" % (before, full, used()))
service.get()
finish()
END
	stop_penstock
done
finish
