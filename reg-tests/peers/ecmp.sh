#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two machines with one address, between which a router divides connections (ECMP), each with
# examples/pair.cfg: both serve, a session stays with its server whichever machine its requests
# reach, and when one machine's service goes, connections of the other one go on. See ecmp.py.
. "${0%/*}/../lib.sh"
machines="left right servers router client" programs=
. "${0%/*}/machines.sh"

needs machine left 192.0.2.1
needs machine right 192.0.2.2
needs machine servers 192.0.2.21 192.0.2.22
needs machine router 192.0.2.254 198.51.100.254
needs machine client 198.51.100.100
for name in left right servers; do
	needs ip -n "penstock-$name$$" route add default via 192.0.2.254
done
for name in left right; do
	needs ip -n "penstock-$name$$" addr add 192.0.2.10/32 dev lo
	# Only the router's route leads to the address: nobody is told that it is here.
	needs ip netns exec "penstock-$name$$" sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2
done
needs ip -n "penstock-client$$" route add default via 198.51.100.254
needs ip netns exec "penstock-router$$" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.fib_multipath_hash_policy=1 \
	net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.eth0.send_redirects=0

timeout 150 python3 "$srcdir/reg-tests/peers/ecmp.py" "$PENSTOCK" "$srcdir/examples" "$dir" "$$" || failures=1
finish
