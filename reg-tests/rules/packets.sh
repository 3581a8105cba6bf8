#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Marks and TOS fields of packets to servers and clients; needs a network namespace and root.
. "${0%/*}/../lib.sh"

own_network "$@"
[ -n "${OWN_NETWORK:-}" ] && [ "$(id -u)" = 0 ] && [ -w /proc/sys/net/ipv4/tcp_fwmark_accept ] || {
	say "no network namespace of its own"
	exit 77
}
{
	http_defaults
	cat <<END
	http-reuse always
listen l
	bind $front
	http-request set-bc-mark 0x7 if { path /mark }
	http-request set-bc-mark req.hdr(x-mark) if { path /expr }
	http-request set-bc-tos 0x20 if { path /tos }
	http-request set-fc-tos req.hdr(x-tos) if { path /client }
	http-request set-fc-mark 5
	http-response set-fc-tos 0x40 if { res.hdr(x-conn) -m found } { capture.req.uri /late }
	http-response set-header reused %[bc_reused]
	http-response set-header rtt %[bc_rtt(us)]
	http-response set-header rttvar %[bc_rttvar]
	server s $back pool-low-conn 10
END
} | config
start_penstock
driver "$srcdir/reg-tests/rules/packets.py" || fail "packets"
finish
