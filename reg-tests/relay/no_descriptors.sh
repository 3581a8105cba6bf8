#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The process really runs out of descriptors, in the middle of a pair or behind one: it does not
# spin, connections that it has go on, those for which it has no room wait in the kernel, and when
# some are free again it accepts by itself. None is lost.
. "${0%/*}/../lib.sh"

descriptors() { ls "/proc/$pid/fd" | sort -n; }
# with_room N: the limit that leaves so many of them. Ours may have left us some with high numbers.
with_room() {
	descriptors | awk -v room="$1" '$1 - (NR - 1) < room { n = NR } END { print n + room }'
}
# full LIMIT: there is none left.
full() { [ "$(descriptors | awk -v limit="$1" '$1 < limit' | wc -l)" -ge "$1" ]; }

# room N: 60 connections for a process that may have N descriptors more.
room() {
	say "## $1 descriptors left"
	start_penstock
	limit=$(with_room "$1")
	prlimit --pid "$pid" --nofile="$limit:20000"
	"$tool" -f "$front" -b "$back" -n 60 hold &
	children=$!
	check "it has run out of descriptors" until_true 60 full "$limit"
	check "it is quiet" "$tool" -p "$pid" -n 500 cpu
	prlimit --pid "$pid" --nofile=20000:20000
	wait "$children" || fail "not all of the connections were served in the end"
	children=
	relaytest -n 8 -z 100k transfer
	stop_penstock
}

tcp_proxy | config
room 24
room 25
finish
