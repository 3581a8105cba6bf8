#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/dns.cfg with dnsmasq and unbound behind it: each question has its answer, one, and its
# own; a server that has gone gets none.
. "${0%/*}/../lib.sh"

command -v dnsmasq >/dev/null || { say "needs dnsmasq"; exit 77; }
command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 3)
sed "s,:5353,:$1,; s,:5301,:$2,; s,:5302,:$3,; s,/run/penstock.sock mode 660,$stats,
	s,inter 2s,inter 100ms rise 1 fall 1,
	s,timeout check 2s,timeout check 10s," "$srcdir/examples/dns.cfg" >"$dir/cfg"
# dnsmasq NUMBER PORT: answers each name with 10.0.0.NUMBER.
name_server() {
	dnsmasq -k -C /dev/null -p "$2" --listen-address=127.0.0.1 --bind-interfaces --no-resolv \
		--no-hosts --address="/#/10.0.0.$1" --user= --group= --pid-file= >"$dir/dnsmasq.$1" 2>&1 &
	eval "server$1=\$!"
	children="$children $!"
}
name_server 1 "$2"
# unbound NUMBER PORT: the same, by that.
unbound_server() {
	cat >"$dir/unbound" <<END
server:
	do-daemonize: no
	chroot: ""
	username: ""
	pidfile: "$dir/unbound.pid"
	use-syslog: no
	interface: 127.0.0.1@$2
	access-control: 127.0.0.0/8 allow
	local-zone: "." redirect
	local-data: ". A 10.0.0.$1"
	local-zone: "test." redirect
	local-data: "test. A 10.0.0.$1"
remote-control:
	control-enable: no
END
	unbound -d -c "$dir/unbound" >"$dir/unbound.log" 2>&1 &
	eval "server$1=\$!"
	children="$children $!"
}
if command -v unbound >/dev/null; then
	unbound_server 2 "$3"
else
	name_server 2 "$3"
fi
start_penstock
driver "$srcdir/reg-tests/udp/dns.py" --port "$1" --servers "$server1 $server2" || failures=1
finish
