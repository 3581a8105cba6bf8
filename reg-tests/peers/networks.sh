#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Three members in three network namespaces, one of them a HAProxy where it is installed: one is cut
# off and comes back, one is killed and started anew, one reloads. Each time all have the same
# entries again; the test prints how long that took.
. "${0%/*}/../lib.sh"
[ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
command -v ip >/dev/null && command -v python3 >/dev/null || { say "needs ip and python3"; exit 77; }
own_network "$@"
[ -n "${OWN_NETWORK:-}" ] || { say "may not make network namespaces"; exit 77; }
spaces=
leave() {
	for space in $spaces; do ip netns del "$space" 2>/dev/null; done
	cleanup
}
trap leave EXIT

# member N: namespace penstock-N-PID with the address 10.88.0.N, on the bridge by the interface vN.
member() {
	ip netns add "penstock-$1-$$" && spaces="$spaces penstock-$1-$$" &&
		ip -n "penstock-$1-$$" link set lo up &&
		ip link add "v$1" type veth peer name eth0 netns "penstock-$1-$$" &&
		ip link set "v$1" master br0 && ip link set "v$1" up &&
		ip -n "penstock-$1-$$" addr add "10.88.0.$1/24" dev eth0 &&
		ip -n "penstock-$1-$$" link set eth0 up
}
{ ip link add br0 type bridge && ip link set br0 up && member 1 && member 2 && member 3; } 2>"$log" ||
	{ say "may not make network namespaces: $(cat "$log")"; exit 77; }
driver "${0%/*}/networks.py" --spaces "$spaces" || failures=1
finish
