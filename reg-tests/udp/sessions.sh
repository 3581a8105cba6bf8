#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# udp-lb: a client's datagrams go to one server and back, whatever their size; sessions end as the
# configuration says, are counted, logged and shown; servers that refuse are left.
. "${0%/*}/../lib.sh"

command -v python3 >/dev/null || { say "needs python3"; exit 77; }
set -- $(ports 18)
log_port=$9
port_of_client=$(ports 1)
cat >"$dir/cfg" <<END
global
	stats socket $stats level admin
	log 127.0.0.1:$log_port local0

udp-lb plain
	dgram-bind 127.0.0.1:$1,:::$2 v6only
	dgram-bind *:$2
	accepted-payload-size 65507
	log global
	log-tag plain
	timeout client 5m
	timeout server 5m
	server a 127.0.0.1:$3
	server b 127.0.0.1:$4

udp-lb small
	dgram-bind 127.0.0.1:$5 maxconn 3 name three
	balance source
	timeout client 1m
	timeout server 1m
	server a 127.0.0.1:$3

udp-lb one
	dgram-bind 127.0.0.1:$6
	proxy-requests 1
	proxy-responses 1
	log global
	timeout client 1m
	timeout server 1m
	server a 127.0.0.1:$3
	server b 127.0.0.1:$4

udp-lb forget
	dgram-bind 127.0.0.1:$7
	proxy-responses 0
	timeout client 1m
	timeout server 1m
	server a 127.0.0.1:$3

udp-lb ruled
	dgram-bind 127.0.0.1:$8
	acl second src 127.0.0.2
	acl special req.payload(0,4) -m str code
	balance first
	use-server b if second
	use-server b if special
	use-server b if { req.len 11 }
	use-server b if { src_port $port_of_client } { dst_port $8 }
	log global
	log-format "%ci %b/%s %U/%B %ts"
	timeout client 300ms
	timeout server 300ms
	server a 127.0.0.1:$3
	server b 127.0.0.1:$4

udp-lb where
	dgram-bind :${11}
	timeout client 1m
	timeout server 1m
	server a *:$3
listen page
	mode http
	bind 127.0.0.1:${14}
	timeout client 1m
	timeout server 1m
	timeout connect 1m
	stats enable
	stats uri /
	stats admin if TRUE

udp-lb narrow
	dgram-bind 127.0.0.1:${12}
	timeout client 1m
	timeout server 1m
	server a 127.0.0.1:$3 source 127.0.0.1:${13}

udp-lb both
	dgram-bind 127.0.0.1:${15}
	balance roundrobin
	source 127.0.0.1:${16}
	option udp-check send look expect look
	timeout client 1m
	timeout server 1m
	timeout check 20s
	server left 127.0.0.1:${17} check inter 20ms
	server right 127.0.0.1:${18} check inter 20ms

udp-lb proxied
	dgram-bind 127.0.0.1:${10}
	timeout client 1m
	timeout server 1m
	server a 127.0.0.1:$3 send-proxy-v2
udp-lb checked
	dgram-bind [::1]:${10}
	timeout client 1m
	timeout server 1m
	server a 127.0.0.1:$3 send-proxy-v2 proxy-v2-options crc32c
END
start_penstock
driver "$srcdir/reg-tests/udp/sessions.py" --ports "$*" --client "$port_of_client" || failures=1
[ -z "${SHIM:-}" ] || acted "$SHIM"
finish
