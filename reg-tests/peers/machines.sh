# SPDX-License-Identifier: BSD-2-Clause
# Machines made of network namespaces for a test, on one wire, each with an eth0; removed behind it.
# Read by scripts behind lib.sh, which have said in $machines who there is, and in $programs what
# they need; ends them with 77 where that cannot be had. The namespace of NAME is penstock-NAME$$.
[ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
for program in ip python3 $programs; do
	command -v "$program" >/dev/null || { say "needs $program"; exit 77; }
done
own_network "$@"
[ -n "${OWN_NETWORK:-}" ] || { say "may not make network namespaces"; exit 77; }

leave() {
	for machine in $machines; do
		ip netns del "penstock-$machine$$" 2>/dev/null
	done
	cleanup
}
trap leave EXIT

needs() {
	"$@" 2>"$dir/needs" || { say "may not make network namespaces: $(cat "$dir/needs")"; exit 77; }
}

# machine NAME ADDRESS...: with an eth0, on one wire with the others.
machine() {
	space=penstock-$1$$
	ip netns add "$space" && ip -n "$space" link set lo up &&
		ip link add "to-$1" type veth peer name eth0 netns "$space" &&
		ip link set "to-$1" master wire && ip link set "to-$1" up &&
		ip -n "$space" link set eth0 up || return 1
	shift
	for address; do
		ip -n "$space" addr add "$address/24" dev eth0 || return 1
	done
}
needs ip link add wire type bridge mcast_snooping 0
needs ip link set wire up
