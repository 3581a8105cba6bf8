#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Between two checks the process sleeps: nothing wakes it for servers that are down, paused or in
# maintenance, and no descriptor of a check stays open.
. "${0%/*}/../lib.sh"

config <<END
defaults
	timeout connect 1s
	timeout client 1s
	timeout server 1s
frontend fe
	bind $front
	default_backend be
backend be
	server down 127.0.0.1:1 check inter 1h
	server maint 127.0.0.1:1 check inter 20ms disabled
	server paused 127.0.0.1:1 check inter 20ms fall 10000
	server unasked 127.0.0.1:1
END

ask() { "$tool" -s "$stats" ask "$1"; }
# Woken how often, so far?
wakes() { sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$pid/status"; }
descriptors() { ls "/proc/$pid/fd" | wc -l; }
is_down() { ask "show stat be 4 -1" | grep -q '^be,down,.*,DOWN,'; }

start_penstock
ask "disable health be/paused" >/dev/null
check "the first check finds it down" until_true 60 is_down
# What it was asked before may still have to be cleaned up: one of several seconds will do.
nothing_wakes_it() {
	before=$(wakes) open=$(descriptors)
	sleep 1
	[ "$(wakes)" -eq "$before" ]
}
tries=0
until nothing_wakes_it || [ $tries -eq 10 ]; do
	tries=$((tries + 1))
done
check "nothing wakes it for a second" [ $tries -lt 10 ]
check "no descriptor has come or gone" [ "$(descriptors)" -eq "$open" ]
finish
