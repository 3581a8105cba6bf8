#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A log socket outside of the new root directory is reached, since it was connected before; when its
# collector has gone, one that listens below the new root is. Where /dev/log and stderr both lead to
# the journal, a message stands there once.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
# Behind chroot the leak checker finds no /proc.
export ASAN_OPTIONS=detect_leaks=0

# collector SOCKET FILE: appends what comes, a line each. Sets collector to its process.
collector() {
	python3 - "$1" "$2" <<'X' &
import os
import socket
import sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
with open(sys.argv[2], "ab", 0) as out:
    while True:
        out.write(s.recv(8192) + b"\n")
X
	collector=$!
	children="$children $collector"
	until_true 60 test -S "$1" || fail "no collector at $1"
}

request() {
	python3 - "$front" "$1" <<'X'
import socket
import sys
host, port = sys.argv[1].split(":")
s = socket.create_connection((host, int(port)))
s.sendall(b"GET /%s HTTP/1.0\r\n\r\n" % sys.argv[2].encode())
while s.recv(4096):
    pass
X
}

mkdir -p "$dir/jail$dir" "$dir/outside"
collector "$dir/outside/log" "$dir/lines"
first=$collector
{
	printf '\tuser nobody\n\tchroot %s\n\tlog %s local0\n' "$dir/jail" "$dir/outside/log"
	http_defaults
	printf '\tlog global\n\toption httplog\nfrontend fe\n\tbind %s\n' "$front"
	printf '\thttp-request return status 200\n'
} | config
start_penstock
request before
check "a line reaches the socket outside of the new root" \
	until_true 60 grep -q '/before' "$dir/lines"
check "the process sees its own root" test "$(readlink "/proc/$pid/root")" = "$dir/jail"
kill "$first"
wait "$first" 2>/dev/null
mkdir -p "$dir/jail$dir/outside"
collector "$dir/jail$dir/outside/log" "$dir/inner"
request after
check "then a line reaches the one below the new root" \
	until_true 60 grep -q '/after' "$dir/inner"
stop_penstock

# A world in which /dev/log and stderr are the journal's.
unshare -m true 2>/dev/null || { say "no mount namespaces"; finish; }
rm "$dir/outside/log"
cat >"$dir/journal.sh" <<X
mount -t tmpfs none /run || exit 77
mkdir -p /run/systemd/journal
mount --bind "$dir/outside" /run/systemd/journal || exit 77
exec 3>>"$dir/stderr"
JOURNAL_STREAM=\${STREAM:-\$(stat -L -c %d:%i /proc/self/fd/3)}
export JOURNAL_STREAM
exec "$PENSTOCK" -W -f "$dir/journal.cfg" 2>&3
X
collector "$dir/outside/dev-log" "$dir/journal"
{
	printf 'global\n\tlog /run/systemd/journal/dev-log local0\n'
	http_defaults
	printf 'frontend fe\n\tbind %s\n\thttp-request return status 200\n' "$front"
} >"$dir/journal.cfg"
# journal STREAM: starts and ends it there; stderr says that it is that stream.
journal() {
	: >"$dir/stderr"
	: >"$dir/journal"
	STREAM=$1 unshare -m sh "$dir/journal.sh" &
	unshared=$!
	children="$children $unshared"
	until_true 60 request once
	kill "$unshared"
	wait "$unshared"
	check "a message reaches the journal by its log socket" \
		until_true 60 grep -q 'Ending on signal' "$dir/journal"
}
journal ""
check "and is not shown on stderr, which is the journal, too" \
	sh -c "! grep -q 'Ending on signal' '$dir/stderr'"
journal 1:1
check "it is where stderr is something else" grep -q 'Ending on signal' "$dir/stderr"
pid=
finish
