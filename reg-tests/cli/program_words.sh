#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Commands about the program say what is so, for all workers: startup-logs, threads, tasks, libs, cache;
# those about dynamic cookies change what responses carry, with the values of the reference.
. "${0%/*}/../lib.sh"

http_conf() {
	cat <<-END
	$(http_defaults)
	frontend fe
		bind $front
		default_backend be
	backend be
		cookie SRV insert dynamic
		dynamic-cookie-key first
		server s1 $back
	END
}
# What the start warns of.
warned() { printf 'listen doubtful\n\tbind %s\n\toption httplog\n\tmode http\n' "127.0.0.1:$(ports 1)"; }
{
	printf '\tnbthread 2\n'
	http_conf
	warned
} | config
cat >"$dir/cookies.py" <<'END'
import re
from service import Origin, Service, ask, check, connect, finish, read_all, until
service = Service()
origin = Origin(service.args.back)
seen = []

def cookie():
    with connect(service.args.front) as s:
        s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = re.search(rb"(?i)set-cookie: SRV=(\w+)", read_all(s))
        return found.group(1).decode() if found else None

def step(command):
    if command:
        said = service.ask(command)
        check(f"{command}: nothing to say", said == "")
    values = {cookie() for _ in range(12)}
    check(f"{command}: all workers alike", len(values) == 1)
    seen.append(values.pop())

step(None)
step("set dynamic-cookie-key backend be second")
step("disable dynamic-cookie backend be")
step("enable dynamic-cookie backend be")
step("set dynamic-cookie-key backend be first")
check("values follow the key", seen[0] == seen[4] and seen[1] == seen[3] != seen[0] and seen[2] is None and seen[0])
with open(service.args.dir + "/seen", "a") as f:
    print(seen, file=f)
finish()
END
start_workers
driver "$dir/cookies.py" || failures=1

driver - <<'END' || failures=1
import re
from service import Service, ask, check, finish, until
service = Service()
stats, parent = service.args.stats, service.args.parent
workers = until("two workers serve", lambda: len(service.workers()) == 2 and service.workers())

for where in (lambda c: ask(stats, c)), (lambda c: ask(parent, "@1 " + c)):
    said = where("show threads")
    check("each worker is a thread", {int(n) for n in re.findall(r"^# worker (\d)", said, re.M)} == {1, 2})
    check("with its process", all(f" id={pid} " in said for pid in workers))
    check("and processor time", all(int(n) > 0 for n in re.findall(r"cpu_ns: now=(\d+)", said)))
    said = where("show tasks")
    check("tasks are counted", len(re.findall(r"^Running tasks: \d+ ", said, re.M)) == 3)
    rows = [line.split() for line in where("show libs").splitlines()]
    check("libraries have their places", all(re.fullmatch(r"0x\w+-0x\w+", r[0]) and re.fullmatch(r"\(0x\w+\)", r[1])
                                             and int(r[0][14:].split("-")[-1], 16) > 0 for r in rows) and len(rows) > 5)
    check("the program and libc are among them", any("libc.so" in r[2] for r in rows) and "penstock" in rows[0][2])
    check("there is no cache", where("show cache") == "")
    check("what was said at the start", "doubtful" in where("show startup-logs"))
said = ask(parent, "show startup-logs"), ask(stats, "show startup-logs")
check(f"the parent says it, too: {said}", said[1] and said[0].startswith(said[1]))
for command in "show threads", "show tasks", "show libs", "show cache", "show startup-logs":
    check(f"{command} is no user's", ask(stats, "user;" + command).strip() == "Permission denied")
for command in ("enable dynamic-cookie backend be", "disable dynamic-cookie backend be", "set dynamic-cookie-key backend be x"):
    check(f"{command} is the admin's", ask(stats, "operator;" + command).strip() == "Permission denied")
for command, answer in (("enable dynamic-cookie backend nope", "No such backend."),
                        ("disable dynamic-cookie backend", "A backend name is expected."),
                        ("set dynamic-cookie-key backend fe x", "No such backend."),
                        ("set dynamic-cookie-key backend be", "String value expected.")):
    check(command, ask(stats, "set severity-output number;" + command) == "\n[3]: " + answer)
finish()
END
stop_penstock

if haproxy -v 2>/dev/null | grep -q 'version 2\.6' && ! sanitized; then
	http_conf | config
	PENSTOCK=haproxy
	start_penstock
	driver "$dir/cookies.py" || failures=1
	check "the values are those of the reference" test "$(sort -u "$dir/seen" | wc -l)" -eq 1
fi
finish
