#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A system call that serving never makes ends the process by SIGSYS; stderr and the log say which
# one it was. The shim makes it, when the second client is accepted.
. "${0%/*}/../lib.sh"

filtered() { test "$(sed -n 's/^Seccomp:[[:space:]]*//p' "/proc/$pid/status")" = 2; }
unfiltered() { ! filtered; }

answers() { [ -n "$(info Pid)" ]; }

with_log() {
	printf '\tlog %s len 4096 format raw local0\n' "$dir/syslog"
	printf '%s' "${1:-}"
	tcp_proxy
}

# What the log says, as lines of a file.
python3 - "$dir/syslog" >"$dir/logged" <<'END' &
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(65536).decode(), flush=True)
END
children=$!
check "the log listens" until_true 60 test -S "$dir/syslog"

if ! "$PENSTOCK" -vv | grep -q '^Filter of system calls : yes$'; then
	with_log | config
	start_penstock
	check "no filter in this build" unfiltered
	finish
fi

with_log | config
start_penstock
check "the filter is on" filtered
relaytest transfer
stop_penstock

for words in '	insecure-syscalls-wanted
' '	insecure-fork-wanted
' '	external-check
'; do
	with_log "$words" | config
	start_penstock
	check "it is off with$(printf %s "$words" | tr '\t' ' ')" unfiltered
	stop_penstock
done

shim_while=$dir/now
SHIM="accept4=ptrace"
with_log | config
start_penstock
check "under the shim, the filter is on" filtered
: >"$shim_while"
ask "show info" >/dev/null 2>&1
wait "$pid"
status=$?
check "SIGSYS ended it (was $status)" test "$status" -eq $((128 + 31))
pid=
check "stderr names the call" grep -q '^penstock: refused system call ptrace$' "$log"
check "the log names it" until_true 60 grep -q 'Refused system call ptrace' "$dir/logged"
check "with a trace of the stack" grep -q 'dies of SIGSYS at:' "$log"
rm -f "$shim_while"

# Under a parent: it tells, too, and another worker takes the place.
{
	printf '\tnbproc 2\n'
	with_log
} | config
start_penstock
: >"$shim_while"
"$tool" -s "$stats" ask "show info" >/dev/null 2>&1 & # each that accepts it dies
children="$children $!"
told() { grep -q 'Worker [0-9]* ([0-9]*): penstock: refused system call ptrace' "$log"; }
check "the parent tells" until_true 60 told
rm -f "$shim_while"
check "and serves on" until_true 60 answers
finish
