# SPDX-License-Identifier: BSD-2-Clause
# Read by scripts behind reg-tests/lib.sh: a control group ($group) and a BPF file system of the
# test's own, removed behind it; ends a script with 77 where that cannot be had.
[ "$(id -u)" -eq 0 ] || { say "needs root"; exit 77; }
if [ -z "${OWN_MOUNTS:-}" ]; then
	unshare -m true 2>/dev/null || { say "may not make a mount namespace"; exit 77; }
	cleanup
	OWN_MOUNTS=1 exec unshare -m sh "$0" "$@"
fi
streams=$topbuild/reg-tests/colocate/streams
pins=$dir/bpf/colocate
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/penstock-test-$$

leave() {
	trap - EXIT
	for child in $children $pid; do
		kill "$child" 2>/dev/null
		wait "$child" 2>/dev/null
	done
	# grouped & is a shell, whose end does not end what it has started
	for child in $(cat "$group/cgroup.procs" 2>/dev/null); do
		kill "$child" 2>/dev/null
	done
	[ ! -d "$pins" ] || "$PENSTOCK" colocate disable --pins "$pins" >/dev/null
	umount "$dir/bpf" 2>/dev/null
	until_true 10 rmdir "$group"
	cleanup
}
mkdir "$dir/bpf" && mount -t bpf bpf "$dir/bpf" 2>/dev/null && mkdir "$group" 2>/dev/null ||
	{
		say "there is no control group of version 2, or no BPF file system"
		umount "$dir/bpf" 2>/dev/null
		exit 77
	}
trap leave EXIT

# grouped COMMAND...: runs it in the control group.
grouped() { sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$group" "$@"; }

colocate() { "$PENSTOCK" colocate "$@" --pins "$pins"; }

# enable PORTS [OPTIONS]; where the kernel does not do what is needed, the test is over.
enable() {
	colocate enable --cgroup "$group" --ports "$@" >"$dir/enabled" 2>&1 && return 0
	cat "$dir/enabled"
	! grep -q "kernel\|rights" "$dir/enabled" || exit 77
	fail "it is not enabled"
	finish
}

# value NAME: of the status.
value() { colocate status | sed -n "s/^$1: *//p"; }

# judge NAME: a claim of ends.py.
judge() {
	check "$1" grouped timeout 120 python3 "$srcdir/reg-tests/colocate/ends.py" "$@" \
		--port "$port" --penstock "$PENSTOCK" --pins "$pins" --cgroup "$group"
}
