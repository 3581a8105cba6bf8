#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Targets of the log that are in trouble, by chance and one after the other: a disk that is full, a
# collector whose socket goes and comes, one that does not read, a TCP server that leaves its ring
# and comes back. Each line arrives whole or is counted as dropped, and no request waits for any of
# it.
if [ -z "${TROUBLE_INSIDE:-}" ] && unshare -rm true 2>/dev/null; then
	TROUBLE_INSIDE=1
	export TROUBLE_INSIDE
	exec unshare -rm "$0" "$@"
fi
. "${0%/*}/../lib.sh"

mkdir "$dir/disk"
trap 'umount -l "$dir/disk" 2>/dev/null; cleanup' EXIT
disk=
if [ -n "${TROUBLE_INSIDE:-}" ] && mount -t tmpfs -o size=2m none "$dir/disk" 2>/dev/null; then
	disk=$dir/disk
else
	say "no disk of our own can be mounted: a full one is not tried"
fi
log=$dir/disk/log
{
	http_defaults
	printf 'frontend fe\n\tbind %s\n' "$front"
	printf '\tlog unix@%s len 2000 format raw local0\n\tlog stdout len 2000 format raw local0\n' "$dir/collector"
	printf '\tlog ring@r len 2000 local0\n'
	printf '\tlog-format "line %%HPO;"\n\thttp-request return status 200\n'
	printf 'ring r\n\tmaxlen 1500\n\tsize 20000\n\tserver s %s\n' "$back"
} | config
start_penstock
driver "$srcdir/reg-tests/log/trouble.py" ${disk:+--disk "$disk"} || failures=$((failures + 1))
finish
