#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers of before a reload: an idle connection gets one last answer, with "Connection: close", or
# ends at its keep-alive timeout; mworker-max-reloads ends them; SIGINT to the parent makes it end
# with 130.
. "${0%/*}/../lib.sh"

other=127.0.0.1:$(ports 1)
{
	printf '\tmworker-max-reloads 2\n'
	http_proxy
	printf 'frontend short\n\tbind %s\n\ttimeout http-keep-alive 1s\n\tdefault_backend be\n' "$other"
} | config
cat >"$dir/test.py" <<'END'
import threading

from service import PATIENCE, Origin, Service, check, connect, finish, read_all, until

service = Service(lambda p: p.add_argument("--other"))
origin = Origin(service.args.back)


def ask(s, path="/"):
    """One answer on a connection that stays: its head."""
    s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    got = b""
    while not got.endswith(b"\r\n\r\nhello"):
        piece = s.recv(4096)
        if not piece:
            return ""
        got += piece
    return got.decode().lower()


def reload():
    check("a reload", service.parent("reload").startswith("Success=1"))


idle, short = connect(service.args.front), connect(service.args.other)
check("connections are kept", all("connection: close" not in ask(s) for s in (idle, short)))
hold = origin.hold = threading.Event()
held = connect(service.args.front)
held.sendall(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
until("a request is under way", lambda: "/held" in origin.arrived)
origin.hold = None
first = service.workers()
reload()
check("the first worker is an old one", service.old_workers() == first)
last = ask(idle)
check("an idle connection gets an answer", last.startswith("http/1.1 200"))
check("with connection: close", "\r\nconnection: close\r\n" in last)
check("and ends", idle.recv(4096) == b"")
check("or ends at its timeout, without one", read_all(short) == b"")
reload()
check("it survives two reloads", first[0] in service.old_workers())
reload()
until("the third one ends it", lambda: not service.old_workers())
held.settimeout(PATIENCE)
try:
    check("with what it had", not held.recv(4096).startswith(b"HTTP/1.1 200"))
except ConnectionError:
    check("with what it had", True)
hold.set()
check("the new one serves", service.get() == 200)
finish()
END
start_workers
driver "$dir/test.py" --other "$other" || failures=1
until_true 60 info Pid
worker=$(info Pid)
kill -INT "$pid"
wait "$pid"
status=$?
pid=
check "SIGINT: the parent ends with 130: $status" test "$status" -eq 130
check "after its worker" sh -c "! kill -0 $worker 2>/dev/null"
rm -f "$stats"

if command -v taskset >/dev/null; then
	say "## nbproc auto"
	{ printf '\tnbproc auto\n'; tcp_proxy; } | config
	first_cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
	start_penstock
	all=$(info Nbproc)
	check "as many as there are processors: $all" test "$all" -eq "$(nproc)"
	stop_penstock
	run_as="taskset -c $first_cpu" start_penstock
	check "that may be used: one" test "$(info Nbproc)" -eq 1
fi
finish
