#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The systemd unit: systemd-analyze finds no mistake in it and its exposure "OK" or better; its own
# filter lets pass what ours does.
. "${0%/*}/../lib.sh"

command -v systemd-analyze >/dev/null || exit 77
ln -s "$PENSTOCK" "$dir/penstock"
sed -e "s|@sbindir@|$dir|" -e 's|@sysconfdir@|/etc|' "$srcdir/contrib/systemd/penstock.service.in" \
	>"$dir/penstock.service"
systemd-analyze verify --man=no --recursive-errors=no "$dir/penstock.service" >"$log" 2>&1 </dev/null
check "no mistake" test $? -eq 0
grep -F penstock.service "$log" && fail "systemd-analyze verify complains"
systemd-analyze security --offline=yes --no-pager "$dir/penstock.service" >"$log" 2>&1 </dev/null
check "systemd-analyze security: $(tail -n 1 "$log")" grep -Eq 'exposure level.*: [0-9.]+ (OK|SAFE|PERFECT)' "$log"

# All calls that the unit allows, one a line.
allowed() {
	systemd-analyze syscall-filter --no-pager </dev/null >"$dir/sets"
	groups=$(sed -n 's/^SystemCallFilter=//p' "$dir/penstock.service")
	printf '%s\n' $groups @default >"$dir/todo"
	: >"$dir/done"
	while read -r name; do
		case $name in
		@*)
			grep -qxF "$name" "$dir/done" && continue
			echo "$name" >>"$dir/done"
			sed -n "/^$name\$/,/^\$/p" "$dir/sets" | sed -n 's/^    *\([@a-z0-9_-]*\)$/\1/p' >>"$dir/todo"
			;;
		*) echo "$name" ;;
		esac
	done <"$dir/todo"
}
allowed | sort -u >"$dir/allowed"
check "the unit allows $(wc -l <"$dir/allowed") calls" test "$(wc -l <"$dir/allowed")" -ge 200
{
	grep -o 'CALL([a-z0-9_]*)' "$srcdir/src/process/sandbox.c" | sed 's/CALL(\(.*\))/\1/' | grep -vx 'name\|call'
	printf '%s\n' openat socket mmap mprotect tgkill kill prlimit64 # with rules
	printf '%s\n' chroot setresuid setresgid setgroups capset prctl seccomp execve clone fork wait4 \
		sched_setaffinity memfd_create pidfd_open # at the start
} | sort -u >"$dir/needed"
missing=$(comm -13 "$dir/allowed" "$dir/needed" | tr '\n' ' ')
check "each call that we need (missing: ${missing:-none})" test -z "$missing"

[ "$(id -u)" -eq 0 ] || finish # they give files to root
sources=$(cd "$srcdir" && pwd) # they look for other paths in folders of their own
for file in "$sources"/contrib/systemd/penstock.sysusers "$sources"/contrib/systemd/penstock.tmpfiles; do
	mkdir -p "$dir/root/etc"
	case $file in
	*sysusers) systemd-sysusers --root="$dir/root" "$file" >"$log" 2>&1 ;;
	*) systemd-tmpfiles --root="$dir/root" --create "$file" >"$log" 2>&1 ;;
	esac </dev/null
	check "${file##*/}" test $? -eq 0
	cat "$log"
done
check "it makes the user" grep -q '^penstock:' "$dir/root/etc/passwd"
check "and the directories" test -d "$dir/root/run/penstock" -a -d "$dir/root/var/lib/penstock/dev"
finish
