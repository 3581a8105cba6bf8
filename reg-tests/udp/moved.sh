#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: a server whose address changes (set server, a name that is looked up while serving) gets
# the next datagram of each client there, in every worker; answers that are under way still come.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
names=
! "$PENSTOCK" -vv | grep -q '+CARES' || names=--names
set -- $(ports 9)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	nbproc 3
	log 127.0.0.1:$8 local0
END
[ -z "$names" ] || cat >>"$dir/cfg" <<END
resolvers dns
	nameserver ns1 127.0.0.1:$6
	timeout resolve 50ms
	timeout retry 100ms
udp-lb named
	dgram-bind 127.0.0.1:$7
	timeout client 5m
	timeout server 5m
	server s s.test:$3 resolvers dns init-addr none resolve-prefer ipv4
END
cat >>"$dir/cfg" <<END
udp-lb moved
	dgram-bind 127.0.0.1:$1
	balance roundrobin
	log global
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$3
	server b 127.0.0.1:$4
udp-lb single
	dgram-bind 127.0.0.1:$2
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$3 maxconn 1
udp-lb offset
	dgram-bind 127.0.0.1:$9
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$(printf %+d $(($3 - $9))) port $3
END
start_workers
driver "$srcdir/reg-tests/udp/moved.py" --ports "$*" $names || failures=1
finish
