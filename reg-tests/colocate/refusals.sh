#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# penstock colocate: what is wrong is told in a sentence, and leaves nothing behind.
. "${0%/*}/../lib.sh"
. "${0%/*}/lib.sh"
port=$(ports 1)

# refused SENTENCE WORDS...: the command ends with 1 and says this, and nothing else. Words of $as
# stand in front of the program.
as=
refused() {
	wanted=$1
	shift
	$as "$PENSTOCK" colocate "$@" >"$dir/out" 2>"$dir/said"
	check "colocate $* ends with 1" test "$?" -eq 1
	check "it says: $(cat "$dir/said")" grep -q -- "$wanted" "$dir/said"
}
enabling() {
	wrong=$1
	shift
	refused "$wrong" enable --cgroup "$group" --pins "$pins" --ports "$port" "$@"
}
refused "usage: penstock colocate" nonsense
refused "unknown word '--nonsense'" enable --nonsense
refused "cgroup is missing" enable --ports 80
refused "ports is missing" enable --cgroup "$group"
refused "ports needs" enable --ports
refused "cgroup needs <folder>" enable --cgroup=
refused "cgroup needs <folder>" enable --cgroup ""
refused "loopback-only takes no value" enable --loopback-only=1
refused "unknown word '--nonsense=1'" enable --nonsense=1
for ports in 0 65536 x 10-9 1-x 99999999999999999999 80,,81; do
	refused "neither a port nor a range" enable --cgroup "$group" --ports "$ports"
done
refused "no number from 4 to 16384" enable --ring-kbytes 3
refused "none of level, edge and blocking" enable --readers level,other
refused "not enabled" status --pins "$pins"
refused "not enabled" disable --pins "$pins"
refused "--cgroup is for enable, and says nothing to disable" disable --cgroup /x
refused "--ports is for enable, and says nothing to status" status --ports 1
enabling "No such file" --cgroup "$group/none"
enabling "no control group of version 2" --cgroup "$dir"
enabling "no BPF file system" --pins "$dir/pins"
check "that folder is removed" test ! -e "$dir/pins"
enabling "bpf/none: No such file" --pins "$dir/bpf/none/pins"
if command -v setpriv >/dev/null; then
	as="setpriv --bounding-set=-all --inh-caps=-all"
	enabling "rights are missing that root has: CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN$"
	as="setpriv --bounding-set=-perfmon,-sys_admin --inh-caps=-all"
	enabling "rights are missing that root has: CAP_PERFMON$"
	as="setpriv --reuid 65534 --regid 65534 --clear-groups"
	if $as test -x "$PENSTOCK"; then
		enabling "rights are missing that root has: CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN$"
		refused "only root may" status --pins "$pins"
		refused "only root may" disable --pins "$pins"
	fi
	as=
fi
check "no pins are left" test ! -e "$pins"
check "nor control groups" test -z "$(find "$group" -mindepth 1 -type d)"

enable "$port"
enabling "enabled already"
# A second one, of its own pins: programs are attached there, above it and below it.
enabling "somebody else" --pins "$pins-2"
mkdir "$group/below"
enabling "somebody else" --pins "$pins-2" --cgroup "$group/below"
check "it is disabled" colocate disable
check "in the folder below it is enabled" "$PENSTOCK" colocate enable --cgroup "$group/below" \
	--ports "$port" --pins "$pins-2"
enabling "$group/below: a program of somebody else"
check "and disabled" "$PENSTOCK" colocate disable --pins "$pins-2"
rmdir "$group/below"

# The group goes away under it.
mkdir "$group/below"
check "it is enabled, with = behind names" "$PENSTOCK" colocate enable --cgroup="$group/below" \
	--ports="$port" --pins="$pins" --loopback-only
rmdir "$group/below"
refused "control group $group/below was removed" status --pins "$pins"
check "the facts stand there" grep -q "^ends-paired: 0" "$dir/out"
mkdir "$group/below"
refused "control group $group/below was removed" status --pins "$pins"
rmdir "$group/below"
check "it is disabled" colocate disable

# A command that was killed may have left a part of the pins.
enable "$port"
rm "$pins/link"
refused "link is missing" status --pins "$pins"
rm "$pins/flows"
check "what is left is removed" colocate disable
check "all of it" test ! -e "$pins"
enable "$port"
check "it is enabled again" test "$(value ports)" = "$port"
finish
