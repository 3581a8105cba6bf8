#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make deb': the package installs, serves under the command line of its unit, reloads by the unit's
# commands, and a purge leaves nothing. In a copy of this system that is gone afterwards (an
# overlay); where none can be mounted, on this system itself, if PENSTOCK_TEST_INSTALL=yes allows it
# (./runtests does).
# Limit: 120 s

if [ "${1:-}" != inside ]; then
	. "${0%/*}/../lib.sh"
	in_full || { say "packages are made of builds without sanitizers"; exit 77; }
	[ "$(id -u)" -eq 0 ] || exit 77
	command -v dpkg-shlibdeps >/dev/null || exit 77
	mkdir "$dir/inside"
	for release in 1 2; do # the second is an upgrade
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL DEB_RELEASE=$release \
			make -C "$topbuild" deb DEB_DIR="$dir/deb" >"$log" 2>&1
		check "make deb, release $release" test $? -eq 0
		mv "$dir"/deb/*-"${release}"_*.deb "$dir/inside/penstock-$release.deb" || { cat "$log"; finish; }
	done
	if command -v lintian >/dev/null; then
		lintian "$dir/inside/penstock-1.deb" >"$dir/lintian" 2>/dev/null
		check "lintian finds no errors" sh -c "! grep '^E:' '$dir/lintian'"
	fi
	cp "$tool" "$dir/inside/relaytest"
	cp "$0" "$dir/inside/test.sh"
	if unshare -m true 2>/dev/null; then
		unshare -m sh -e -c 'mkdir "$1/m"
			mount -t tmpfs tmpfs "$1/m"
			mkdir "$1/m/upper" "$1/m/work" "$1/m/root"
			mount -t overlay -o "lowerdir=/,upperdir=$1/m/upper,workdir=$1/m/work" \
				overlay "$1/m/root"
			mount --rbind /proc "$1/m/root/proc"
			mount --rbind /dev "$1/m/root/dev"
			mount -t tmpfs tmpfs "$1/m/root/run"
			mount -t tmpfs tmpfs "$1/m/root/tmp"
			mkdir "$1/m/root/tmp/inside"
			cp "$1/inside"/* "$1/m/root/tmp/inside"
			: >"$1/overlay"
			exec chroot "$1/m/root" /bin/sh /tmp/inside/test.sh inside' sh "$dir"
		status=$?
		[ ! -e "$dir/overlay" ] || { failures=$((failures + status)); finish; }
	fi
	[ "${PENSTOCK_TEST_INSTALL:-}" = yes ] || exit 77
	! dpkg -s penstock >/dev/null 2>&1 || exit 77
	sh "$dir/inside/test.sh" inside
	failures=$((failures + $?))
	finish
fi

# ---- inside ----------------------------------------------------------------------------------
here=$(dirname "$0")
failures=0
main=
listener=
export DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
# Behind chroot the leak checker finds no /proc.
export ASAN_OPTIONS=detect_leaks=0
unit=/lib/systemd/system/penstock.service
socket=/run/penstock/admin.sock
heard=$here/heard

check() {
	sentence=$1
	shift
	if "$@"; then echo "ok      $sentence"; else
		echo "FAILED  $sentence"
		failures=$((failures + 1))
	fi
}
until_true() {
	tries=$(($1 * 50))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.02
	done
}
trap 'kill $main $listener 2>/dev/null; dpkg -P penstock >/dev/null 2>&1' EXIT

info() { "$here/relaytest" -s "$socket" ask "show info" | sed -n "s/^$1: *//p"; }
answers() { [ -n "$(info Pid)" ]; }
another() { answers && [ "$(info Pid)" != "$worker" ]; }
said() { [ "$(grep -c "^$1" "$heard")" -ge "$2" ]; }
of() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status" | cut -f 1; }
gone() { ! kill -0 "$1" 2>/dev/null; }

# unit_lines WORD: what the unit says behind WORD=, its own variables replaced.
unit_lines() {
	sed -n "s/^$1=//p" $unit | sed "s|\${CONFIG}|/etc/penstock/penstock.cfg|g
		s|\${PIDFILE}|/run/penstock/penstock.pid|g; s|\$EXTRAOPTS||g; s|\$MAINPID|$main|g"
}

dpkg -i "$here/penstock-1.deb" >"$here/dpkg.log" 2>&1
check "dpkg -i" test $? -eq 0
[ "$failures" -eq 0 ] || cat "$here/dpkg.log"
check "it is installed" test "$(dpkg-query -W -f '${db:Status-Status}' penstock)" = installed
check "the files are what the package says" test -z "$(dpkg -V penstock | grep -v /usr/share/)"
check "there is a user" test "$(getent passwd penstock | cut -d : -f 7)" = /usr/sbin/nologin
check "the configuration that comes with it is valid" penstock -c -q -f /etc/penstock/penstock.cfg
check "its error pages are there" test "$(find /etc/penstock/errors -name '[45]*.http' | wc -l)" -eq 7
check "completion for bash" bash -n /usr/share/bash-completion/completions/penstock
check "for zsh and fish" test -s /usr/share/zsh/vendor-completions/_penstock -a \
	-s /usr/share/fish/vendor_completions.d/penstock.fish

# The unit's command line, with a manager that writes down what it is told.
mkdir -p /run/penstock
python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    print(s.recv(65536).decode(), flush=True)
' "$here/notify" >"$heard" &
listener=$!
check "a manager listens" until_true 60 test -S "$here/notify"
WATCHDOG_USEC=2000000 NOTIFY_SOCKET=$here/notify $(unit_lines ExecStart) >"$here/log" 2>&1 &
main=$!
check "READY=1" until_true 60 said READY=1 1
check "WATCHDOG=1, more than once" until_true 60 said WATCHDOG=1 2
check "it answers" until_true 60 answers
check "the pid file" test "$(cat /run/penstock/penstock.pid)" = "$main"
worker=$(info Pid)
check "who serves is the user penstock" test "$(of Uid "$worker")" = "$(id -u penstock)"
check "in its directory" test "$(readlink "/proc/$worker/root")" != /
check "without capabilities" test "$(of CapPrm "$worker")" = 0000000000000000
! penstock -vv | grep -q '^Filter of system calls : yes' ||
	check "behind the filter" test "$(of Seccomp "$worker")" = 2

# Reload, by the unit's commands; a bad file is told by the first of them.
unit_lines ExecReload >"$here/reload"
check "reloading is two commands" test "$(wc -l <"$here/reload")" -eq 2
check "a reload" sh -e "$here/reload"
check "RELOADING=1" until_true 60 said RELOADING=1 1
check "READY=1 again" until_true 60 said READY=1 2
check "somebody else serves" until_true 60 another
check "the old one leaves" until_true 60 gone "$worker"
check "the same process is the main one" kill -0 "$main"

# An upgrade is a reload: the same process executes the new program.
worker=$(info Pid)
old_program() { readlink "/proc/$main/exe" | grep -q '(deleted)$'; }
new_program() { ! old_program; }
dpkg -i "$here/penstock-2.deb" >"$here/dpkg.log" 2>&1
check "an upgrade" test $? -eq 0
check "it is installed" test "$(dpkg-query -W -f '${Version}' penstock | sed 's/.*-//')" = 2
check "the old program serves on" answers
check "until the reload" sh -e "$here/reload"
check "somebody else serves" until_true 60 another
check "the main process has the new program" until_true 60 new_program
check "and is the same" test "$(cat /run/penstock/penstock.pid)" = "$main"

worker=$(info Pid)
echo nonsense >>/etc/penstock/penstock.cfg
check "a bad file is refused" test "$(sh -e "$here/reload" >/dev/null 2>&1; echo $?)" -eq 1
check "and changes nothing" test "$(info Pid)" = "$worker"
kill -TERM "$main"
wait "$main"
status=$?
check "TERM ends it (was $status)" test "$status" -eq 0 -o "$status" -eq 143
main=
[ "$failures" -eq 0 ] || cat "$here/log" "$heard"

dpkg -r penstock >"$here/dpkg.log" 2>&1
check "dpkg -r" test $? -eq 0
check "the configuration stays" test -e /etc/penstock/penstock.cfg
dpkg -P penstock >"$here/dpkg.log" 2>&1
check "dpkg -P" test $? -eq 0
check "nothing is left" test -z "$(ls -d /etc/penstock /etc/default/penstock /etc/logrotate.d/penstock \
	/etc/rsyslog.d/49-penstock.conf /var/lib/penstock /usr/sbin/penstock /run/penstock $unit \
	/usr/share/doc/penstock 2>/dev/null)"
check "nor the user" test -z "$(getent passwd penstock)$(getent group penstock)"
[ "$failures" -eq 0 ] || cat "$here/dpkg.log"
[ "$failures" -eq 0 ]
