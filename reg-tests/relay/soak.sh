#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Hundreds of connections with random sizes, pauses, socket buffers, half-closes and breaks: nothing
# is lost, doubled or mixed, no stream hangs, an idle crowd afterwards uses no CPU; with splice on,
# off, adaptive and with a pool of one pipe. By hand, longer: SOAK="-t 60 -c 300".
. "${0%/*}/../lib.sh"

soak() {
	# SOAK is a list of options. The kernel relay leaves large pieces to the other ways.
	pieces=
	[ "$way" != kernel ] || grep -q "the kernel cannot relay here" "$log" || pieces="-k 4k"
	"$topbuild/reg-tests/relay/soak" -f "$front" -b "$back" -p "$pid" ${SOAK:--t 2 -z 2m} $pieces ||
		failures=$((failures + 1))
	[ -z "$pieces" ] || at_least KernelBytes 1000000
	exactly PipesUsed 0
}
each_way soak
say "## one pipe"
way=splice
{
	printf '\tmaxpipes 1\n'
	tcp_proxy "$splice"
} | config
start_penstock
soak
finish
