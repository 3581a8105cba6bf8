#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock colocate: bytes stay right and in order while ways change, receivers pause and pieces
# have all sizes; also while it is disabled, and enabled again. With COLOCATE_LONG=1 for ten minutes.
. "${0%/*}/../lib.sh"
. "${0%/*}/lib.sh"
port=$(ports 1)
both="-l 127.0.0.1:$port -d 127.0.0.1:$port"
run() { check "streams $*" grouped timeout 300 "$streams" $both "$@"; }
enable "$port" --ring-kbytes 32 --readers level,edge
seed=1
ends=$(($(date +%s) + ${COLOCATE_LONG:+600} + 0))
while :; do
	run -s "$seed" -b 2000000
	run -s "$seed" -b 500000 -m 300 -p 20
	run -s "$seed" -b 500000 -r poll
	run -s "$seed" -b 500000 -r edge
	seed=$((seed + 1))
	[ "$(date +%s)" -lt "$ends" ] || break
done
check "messages were queued" test "$(value queued-messages)" -gt 1000
check "and went by TCP" test "$(value tcp-messages)" -gt 1000
check "since receivers were behind" test "$(value receiver-behind)" -gt 10
# Readers that spin on recv hold their sockets, which would let senders sleep for each message: they
# are left to TCP. It takes two processors.
if [ "$(nproc)" -gt 1 ]; then
	grouped timeout 300 "$streams" $both -c 1 -r spin -w -p 0 -m 100 -b 1000000000 >"$dir/said" 2>&1 &
	children=$!
	spins() { [ "$(value reader-spins)" -gt 0 ]; }
	check "who spins is left to TCP" until_true 60 spins
	before=$(value tcp-messages)
	goes_on() { [ "$(value tcp-messages)" -gt $((before + 100)) ]; }
	check "which goes on" until_true 60 goes_on
	kill $(cat "$group/cgroup.procs")
	wait "$children"
	children=
fi
grouped timeout 300 "$streams" $both -b 3000000 >"$dir/said" 2>&1 &
children=$!
before=$(value queued-messages)
more() { [ "$(value queued-messages)" -gt $((before + 500)) ]; }
check "more is queued" until_true 30 more
check "it is disabled under traffic" colocate disable
check "nothing is left of it" test ! -e "$pins"
enable "$port" --ring-kbytes 32
wait "$children"
check "and no byte was lost or wrong" test "$?" -eq 0
children=
finish
