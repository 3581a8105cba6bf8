# SPDX-License-Identifier: BSD-2-Clause
# Three network namespaces in a row, made for a test and removed behind it: $left (10.77.1.2), this
# one (10.77.1.1 on vl, 10.77.2.1 on vr) and $right (10.77.2.2). Read by scripts behind lib.sh; ends
# a script with 77 where that cannot be had.
[ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
command -v ip >/dev/null && command -v python3 >/dev/null || { say "needs ip and python3"; exit 77; }
own_network "$@"
[ -n "${OWN_NETWORK:-}" ] || { say "may not make network namespaces"; exit 77; }
left=penstock-l$$ right=penstock-r$$
leave() {
	ip netns del "$left" 2>/dev/null
	ip netns del "$right" 2>/dev/null
	cleanup
}
trap leave EXIT

# pair NAMESPACE NET INTERFACE: NET.1 here, NET.2 there.
pair() {
	ip netns add "$1" && ip -n "$1" link set lo up &&
		ip link add "$3" type veth peer name "$3" netns "$1" &&
		ip addr add "$2.1/24" dev "$3" && ip link set "$3" up &&
		ip -n "$1" addr add "$2.2/24" dev "$3" && ip -n "$1" link set "$3" up &&
		ip -n "$1" route add default via "$2.1"
}
# needs COMMAND...: the test is about something else than whether that works.
needs() {
	"$@" 2>"$log" || { say "may not make network namespaces: $(cat "$log")"; exit 77; }
}
needs pair "$left" 10.77.1 vl
needs pair "$right" 10.77.2 vr
# What comes in over the interface, for anybody, is ours.
takes_all() {
	ip rule add iif "$1" lookup 100 && ip route replace local default dev lo table 100
}
