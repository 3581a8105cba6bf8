#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Workers without rights, a parent that has them: a port below 1024 and a Unix socket of another
# user that the configuration did not have before are there after a reload.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
own_network "$@"
low=$(python3 -c '
import socket
for port in range(1023, 511, -1):
    try:
        socket.socket().bind(("127.0.0.1", port))
    except OSError:
        continue
    print(port)
    break')
# Behind chroot the leak checker finds no /proc.
export ASAN_OPTIONS=detect_leaks=0
mkdir "$dir/empty"

described() {
	{
		printf '\tuser nobody\n\tgroup nogroup\n\tchroot %s\n\tnbproc 2\n' "$dir/empty"
		tcp_proxy "$@"
	} | config
}
connects() {
	python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 60)' \
		127.0.0.1 "$1" 2>/dev/null
}
refuses() { ! connects "$1"; }
worker_of() { info Pid; }
another() { answer=$(worker_of) && [ -n "$answer" ] && [ "$answer" != "$worker" ]; }
capabilities() { sed -n 's/^CapPrm:[[:space:]]*0*//p' "/proc/$(worker_of)/status"; }

described
start_penstock -W
check "workers have no rights" test -z "$(capabilities)"
check "nobody listens at port $low" refuses "$low"
worker=$(worker_of)
sed -i "s|bind $front .*|&\n\tbind 127.0.0.1:$low\n\tbind unix@$dir/web mode 600 user daemon|" "$dir/cfg"
kill -USR2 "$pid"
check "other workers serve" until_true 60 another
check "port $low is there" until_true 60 connects "$low"
check "the socket is daemon's" test "$(stat -c '%U %a' "$dir/web")" = "daemon 600"
check "the workers have no rights" test -z "$(capabilities)"
check "the parent is root" test "$(stat -c %u "/proc/$pid")" = 0
finish
