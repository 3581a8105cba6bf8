#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A process that becomes nobody keeps the capabilities that its connections need and no others,
# behind chroot, too: servers in a network namespace, at an interface, from the client's own
# address.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
own_network "$@"
# Behind chroot the leak checker finds no /proc.
export ASAN_OPTIONS=detect_leaks=0
ns=penstock-caps-$$
leave() {
	ip netns del "$ns" 2>/dev/null
	cleanup
}
mkdir "$dir/empty"

# capabilities: permitted and bounding set, as numbers
capabilities() { sed -n 's/^Cap\(Prm\|Bnd\):[[:space:]]*0*/\1 /p' "/proc/$pid/status" | tr '\n' ' '; }

# of_ours SET: those of them that we have.
of_ours() { printf '%x' "$((0x${1:-0} & 0x$(sed -n 's/^CapPrm:[[:space:]]*//p' /proc/$$/status)))" | sed 's/^0*//'; }

# keeps SENTENCE MASK SERVER-WORDS [LINES-OF-THE-BACKEND]: and bytes pass, unless transfer=no.
keeps() {
	{
		printf '\tuser nobody\n\tgroup nogroup\n\tchroot %s\n' "$dir/empty"
		tcp_proxy "" "$3" "${4:-}"
	} | config
	start_penstock
	check "$1" test "$(capabilities)" = "Prm $(of_ours "$2") Bnd $(of_ours "$2") "
	[ "${transfer:-yes}" = no ] || relaytest transfer
	stop_penstock
}

keeps "none without a reason" "" ""
keeps "usesrc: cap_net_raw" 2000 "source 0.0.0.0 usesrc clientip"
keeps "interface: cap_net_raw" 2000 "source 0.0.0.0 interface lo"
# The client's port is taken, as it is on this machine.
transfer=no keeps "usesrc client: cap_net_bind_service, too" 2400 "source 0.0.0.0 usesrc client"
keeps "set-mark: cap_net_admin" 1000 "" "tcp-request content set-mark 7"
trap leave EXIT
if ip netns attach "$ns" $$; then
	keeps "namespace: cap_sys_admin" 200000 "namespace $ns"
fi

# Root that stays root keeps what sockets, files and pipes need, or all when it runs commands.
tcp_proxy | config
start_penstock
root=$(of_ours 100342f)
check "root: $root" test "$(capabilities)" = "Prm $root Bnd $root "
stop_penstock
{ printf '\tinsecure-fork-wanted\n'; tcp_proxy; } | config
start_penstock
all=$(sed -n 's/^CapPrm:[[:space:]]*0*//p' /proc/$$/status)
bound=$(sed -n 's/^CapBnd:[[:space:]]*0*//p' /proc/$$/status)
check "root with commands: all" test "$(capabilities)" = "Prm $all Bnd $bound "
finish
