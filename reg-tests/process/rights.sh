#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# user, group and chroot: after the start the process is nobody, in an empty directory, and serves.
. "${0%/*}/../lib.sh"

[ "$(id -u)" -eq 0 ] || exit 77
# Behind chroot the leak checker finds no /proc.
export ASAN_OPTIONS=detect_leaks=0
mkdir "$dir/empty"
{
	printf '\tuser nobody\n\tgroup nogroup\n\tchroot %s\n' "$dir/empty"
	printf '\tuid 12345\n\tgid 12345\n\tchroot /nonexistent\n' # the first counts
	tcp_proxy
} | config
start_penstock
field() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status"; }
uid=$(id -u nobody)
check "user" test "$(field Uid | cut -f 2)" = "$uid"
check "no way back" test "$(field Uid | cut -f 3)" = "$uid"
check "group" test "$(field Gid | cut -f 2)" = "$(getent group nogroup | cut -d : -f 3)"
check "no capabilities" test "$(field CapEff)" = 0000000000000000
check "root directory" test "$(readlink "/proc/$pid/root")" = "$dir/empty"
relaytest transfer
finish
